#include "inject/python/torch_modules.h"

#include "inject/guard/settings.h"
#include "inject/python/constructors.h"
#include "inject/python/method_calls.h"
#include "inject/python/module_spans.h"
#include "inject/python/python_api.h"
#include "inject/python/torch_tracing.h"
#include "inject/torch/operators.h"

namespace xsp::guest {
namespace {

PyObject* module_begins(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count < 1) return return_none();
  const bool has_first = count > 1 && is_a(arguments[1], python.tuple_type) && python.PyTuple_Size(arguments[1]) > 0;
  begin_module_call(arguments[0], has_first ? python.PyTuple_GetItem(arguments[1], 0) : nullptr,
                    static_cast<const char*>(__builtin_frame_address(0)), false);
  return return_none();
}

PyObject* module_ends(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count < 3) return return_none();
  end_module_call(arguments[0], static_cast<const char*>(__builtin_frame_address(0)),
                  {.values = arguments + 1, .count = count - 2, .are_unpacked = false}, arguments[count - 1]);
  return return_none();
}

PyObject* call_module(PyObject*, PyObject* const* arguments, size_t flags, PyObject* keywords);

/// Those of torch.nn.Module.__call__, as long as nothing (Dynamo) has to see through it.
constinit MethodCalls module_calls{.ours = call_module};

PyObject* call_module(PyObject*, PyObject* const* arguments, size_t flags, PyObject* keywords) {
  const auto count = static_cast<Py_ssize_t>(flags & ~kMayUseSlotBefore);
  if (!module_calls.are_intercepted || count < 1 || !is_a(arguments[0], module_calls.owner)) {
    return call_plain(module_calls, arguments, flags, keywords);
  }
  PyObject* const module = arguments[0];
  const auto* frame = static_cast<const char*>(__builtin_frame_address(0));
  const bool is_recorded = begin_module_call(module, count > 1 ? arguments[1] : nullptr, frame, true);
  PyObject* output = call_plain(module_calls, arguments, flags, keywords);
  if (!is_recorded) return output;
  const Py_ssize_t given = count - 1 + (keywords == nullptr ? 0 : python.PyTuple_Size(keywords));
  const Given values{.values = arguments + 1, .count = given, .are_unpacked = true};
  if (__builtin_expect(output != nullptr, 1)) {
    end_module_call(module, frame, values, output);
  } else {
    const ExceptionKeeper exception;
    end_module_call(module, frame, values, nullptr);
  }
  return output;
}

/// wrap_calls(torch.nn.Module): whether its calls are recorded from now on. Not for the class of a PyTorch that was
/// imported again.
PyObject* wrap_calls(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  const bool is_wrapped = count == 1 && intercept_calls(module_calls, arguments[0], "__call__");
  return python.PyLong_FromUnsignedLongLong(is_wrapped ? 1 : 0);
}

/// unwrap_calls(): whether calls were recorded until now.
PyObject* unwrap_calls(PyObject*, PyObject* const*, Py_ssize_t) {
  return python.PyLong_FromUnsignedLongLong(stop_intercepting(module_calls) ? 1 : 0);
}

/// keeps_function(): whether calls are recorded while torch.nn.Module.__call__ is PyTorch's own function, which Dynamo
/// may see.
PyObject* keeps_function(PyObject*, PyObject* const*, Py_ssize_t) {
  return python.PyLong_FromUnsignedLongLong(module_calls.are_intercepted && module_calls.address != nullptr ? 1 : 0);
}

PyObject* use_torch(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 4) return return_none();
  set_tensor_types(arguments[0], arguments[1]);
  set_module_class(arguments[2]);
  set_deepest_level(read_settings().deepest_level);
  find_tracing_state(arguments[3]);
  return return_none();
}

PyObject* pass_calls_with(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count == 1) add_stand_in(arguments[0]);
  return return_none();
}

PyObject* use_operators(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count == 1) watch_python_operators(python.PyObject_IsTrue(arguments[0]) == 1);
  return return_none();
}

PyMethodDef module_methods[] = {
    {"use_operators", reinterpret_cast<void*>(use_operators), kMethodFastCall, nullptr},
    {"pass_calls_with", reinterpret_cast<void*>(pass_calls_with), kMethodFastCall, nullptr},
    {"use_torch", reinterpret_cast<void*>(use_torch), kMethodFastCall, nullptr},
    {"module_begins", reinterpret_cast<void*>(module_begins), kMethodFastCall, nullptr},
    {"module_ends", reinterpret_cast<void*>(module_ends), kMethodFastCall, nullptr},
    {"wrap_calls", reinterpret_cast<void*>(wrap_calls), kMethodFastCall, nullptr},
    {"keeps_function", reinterpret_cast<void*>(keeps_function), kMethodFastCall, nullptr},
    {"unwrap_calls", reinterpret_cast<void*>(unwrap_calls), kMethodFastCall, nullptr},
};

}  // namespace

bool add_torch_functions(PyObject* globals) {
  for (PyMethodDef& definition : module_methods) {
    if (!add_function(globals, &definition)) return false;
  }
  return true;
}

}  // namespace xsp::guest
