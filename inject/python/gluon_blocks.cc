#include "inject/python/gluon_blocks.h"

#include "inject/guard/errno_guard.h"
#include "inject/mxnet/model_calls.h"
#include "inject/mxnet/open_calls.h"
#include "inject/mxnet/operator_names.h"
#include "inject/python/method_calls.h"
#include "inject/python/python_api.h"
#include "inject/python/text_ids.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

PyObject* call_block(PyObject*, PyObject* const* arguments, size_t flags, PyObject* keywords);

/// Those of mxnet.gluon.Block.__call__.
constinit MethodCalls block_calls{.ours = call_block};

struct GluonNames {
  PyObject* dict;
  PyObject* name;
  PyObject* handle;
  PyObject* value;
};
constinit GluonNames gluon_names{};
constinit PyObject* symbol_type = nullptr;
constinit PyObject* array_type = nullptr;

/// String id of the block's name, "resnetv10_conv0"; 0 where it has none.
uint32_t name_of_block(PyObject* block) {
  const Owned state(python.PyObject_GetAttr(block, gluon_names.dict));
  PyObject* name = state ? python.PyDict_GetItemWithError(state.get(), gluon_names.name) : nullptr;
  const uint32_t id = name == nullptr ? 0 : text_id(name);
  python.PyErr_Clear();
  return id;
}

/// The mxnet::NDArray of Python's.
const void* array_of(PyObject* object) {
  const Owned handle(python.PyObject_GetAttr(object, gluon_names.handle));
  const Owned value(handle ? python.PyObject_GetAttr(handle.get(), gluon_names.value) : nullptr);
  const auto address = value && value.get() != python.none ? python.PyLong_AsUnsignedLongLong(value.get()) : 0;
  if (python.PyErr_Occurred() == nullptr) return reinterpret_cast<const void*>(address);
  python.PyErr_Clear();
  return nullptr;
}

uint32_t array_shapes(PyObject* const* values, Py_ssize_t count) {
  Arrays arrays;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (is_a(values[i], array_type)) add_array(array_of(values[i]), &arrays);
  }
  return intern_shapes(arrays.shapes);
}

/// Begins the call of a block. Returns whether its end is that of a model's call.
bool begin_block(PyObject* const* arguments, Py_ssize_t count, const void* frame) {
  const Thread* known = known_thread();
  if (known != nullptr && known->of<MxnetThread>().call != 0 && known->of<MxnetThread>().frame > frame) return false;
  if (awake_process() == nullptr && wake_process() == nullptr) return false;
  return begin_block_call(name_of_block(arguments[0]), array_shapes(arguments + 1, count - 1), frame);
}

PyObject* call_block(PyObject*, PyObject* const* arguments, size_t flags, PyObject* keywords) {
  const auto count = static_cast<Py_ssize_t>(flags & ~kMayUseSlotBefore);
  const bool is_traced = count > 1 && is_a(arguments[1], symbol_type);
  if (!block_calls.are_intercepted || count < 1 || is_traced || !is_a(arguments[0], block_calls.owner)) {
    return call_plain(block_calls, arguments, flags, keywords);
  }
  const bool is_model = begin_block(arguments, count, __builtin_frame_address(0));
  Thread* thread = known_thread();
  if (thread == nullptr || thread->of<MxnetThread>().call == 0) {
    return call_plain(block_calls, arguments, flags, keywords);
  }
  const uint32_t outer = thread->of<MxnetThread>().block;
  thread->of<MxnetThread>().block = name_of_block(arguments[0]);
  PyObject* output = call_plain(block_calls, arguments, flags, keywords);
  if ((thread = known_thread()) != nullptr) thread->of<MxnetThread>().block = outer;
  if (is_model) end_block_call(output == nullptr);
  return output;
}

PyObject* use_gluon(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 3) return return_none();
  symbol_type = arguments[1];
  array_type = arguments[2];
  python.Py_IncRef(symbol_type);
  python.Py_IncRef(array_type);
  intercept_calls(block_calls, arguments[0], "__call__");
  return return_none();
}

PyMethodDef gluon_methods[] = {{"use_gluon", reinterpret_cast<void*>(use_gluon), kMethodFastCall, nullptr}};

}  // namespace

bool add_gluon_functions(PyObject* globals) {
  gluon_names = {.dict = python.PyUnicode_InternFromString("__dict__"),
                 .name = python.PyUnicode_InternFromString("_name"),
                 .handle = python.PyUnicode_InternFromString("handle"),
                 .value = python.PyUnicode_InternFromString("value")};
  for (const PyObject* name : {gluon_names.dict, gluon_names.name, gluon_names.handle, gluon_names.value}) {
    if (name == nullptr) return false;
  }
  return add_function(globals, gluon_methods);
}

}  // namespace xsp::guest
