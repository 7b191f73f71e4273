#include "inject/python/torch_modules.h"

#include <stdlib.h>
#include <string.h>

#include "inject/guard/settings.h"
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

/// What torch.nn.Module.__call__ was, and what the guest puts in its place. Both are kept for good: a program may have
/// stored either.
constinit PyObject* plain_call = nullptr;
constinit PyObject* our_call = nullptr;
constinit PyObject* wrapped_class = nullptr;
constinit bool is_call_wrapped = false;

/// Stands in for torch.nn.Module.__call__ as long as nothing (Dynamo) has to see through it.
PyObject* call_module(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  const Py_ssize_t given = count + (keywords == nullptr ? 0 : python.PyTuple_Size(keywords));
  constexpr Py_ssize_t kFew = 24;
  PyObject* few[kFew + 1];
  PyObject** all = few;
  if (__builtin_expect(given > kFew, 0)) {
    all = static_cast<PyObject**>(malloc((static_cast<size_t>(given) + 1) * sizeof *all));
    if (all == nullptr) return python.PyErr_NoMemory();
  }
  all[0] = module;
  if (given > 0) memcpy(all + 1, arguments, static_cast<size_t>(given) * sizeof *all);
  const auto* frame = static_cast<const char*>(__builtin_frame_address(0));
  const bool is_recorded =
      is_call_wrapped && begin_module_call(module, count > 0 ? arguments[0] : nullptr, frame, true);
  PyObject* output = python.PyObject_Vectorcall(plain_call, all, static_cast<size_t>(count) + 1, keywords);
  if (is_recorded) {
    const Given values{.values = arguments, .count = given, .are_unpacked = true};
    if (__builtin_expect(output != nullptr, 1)) {
      end_module_call(module, frame, values, output);
    } else {
      const ExceptionKeeper exception;
      end_module_call(module, frame, values, nullptr);
    }
  }
  if (all != few) free(all);
  return output;
}

PyMethodDef call_method{"__call__", reinterpret_cast<void*>(call_module), kMethodFastCall | kMethodKeywords,
                        "__call__($self, /, *args, **kwargs)\n--\n\n"};

/// wrap_calls(torch.nn.Module): whether its calls are recorded from now on. Not for the class of a PyTorch that was
/// imported again: the method belongs to the first class.
PyObject* wrap_calls(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  const bool may_wrap = count == 1 && python.PyObject_Vectorcall != nullptr &&
                        (wrapped_class == nullptr || wrapped_class == arguments[0]);
  if (!may_wrap) return python.PyLong_FromUnsignedLongLong(0);
  if (plain_call == nullptr) plain_call = python.PyObject_GetAttrString(arguments[0], call_method.name);
  // Made once and kept: a program may have stored our method, and must find the same one when calls are wrapped again.
  if (our_call == nullptr && plain_call != nullptr) our_call = python.PyDescr_NewMethod(arguments[0], &call_method);
  is_call_wrapped = our_call != nullptr && python.PyObject_SetAttrString(arguments[0], call_method.name, our_call) == 0;
  if (is_call_wrapped && wrapped_class == nullptr) {
    python.Py_IncRef(arguments[0]);
    wrapped_class = arguments[0];
  }
  if (!is_call_wrapped) python.PyErr_Clear();
  return python.PyLong_FromUnsignedLongLong(is_call_wrapped ? 1 : 0);
}

/// unwrap_calls(torch.nn.Module): whether calls were recorded until now. If the program has put its own function around
/// ours, that stays.
PyObject* unwrap_calls(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 1 || !is_call_wrapped) return python.PyLong_FromUnsignedLongLong(0);
  is_call_wrapped = false;
  const Owned current(python.PyObject_GetAttrString(arguments[0], call_method.name));
  if (current.get() == our_call) python.PyObject_SetAttrString(arguments[0], call_method.name, plain_call);
  if (python.PyErr_Occurred() != nullptr) python.PyErr_Clear();
  return python.PyLong_FromUnsignedLongLong(1);
}

PyObject* use_torch(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 3) return return_none();
  set_tensor_types(arguments[0], arguments[1]);
  set_deepest_level(read_settings().deepest_level);
  find_tracing_state(arguments[2]);
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

PyMethodDef methods[] = {
    {"use_operators", reinterpret_cast<void*>(use_operators), kMethodFastCall, nullptr},
    {"pass_calls_with", reinterpret_cast<void*>(pass_calls_with), kMethodFastCall, nullptr},
    {"use_torch", reinterpret_cast<void*>(use_torch), kMethodFastCall, nullptr},
    {"module_begins", reinterpret_cast<void*>(module_begins), kMethodFastCall, nullptr},
    {"module_ends", reinterpret_cast<void*>(module_ends), kMethodFastCall, nullptr},
    {"wrap_calls", reinterpret_cast<void*>(wrap_calls), kMethodFastCall, nullptr},
    {"unwrap_calls", reinterpret_cast<void*>(unwrap_calls), kMethodFastCall, nullptr},
};

}  // namespace

bool add_torch_functions(PyObject* globals) {
  for (PyMethodDef& definition : methods) {
    if (!add_function(globals, &definition)) return false;
  }
  return true;
}

}  // namespace xsp::guest
