#include "inject/python/own_calls.h"

#include "inject/python/python_api.h"
#include "inject/torch/torch_thread.h"

namespace xsp::guest {
namespace {

/// `self` is the function that is called.
PyObject* call_unrecorded(PyObject* self, PyObject* arguments, PyObject* keywords) {
  Thread* const thread = recording_thread();
  if (thread == nullptr) return python.PyObject_Call(self, arguments, keywords);
  thread->of<TorchThread>().own_calls++;
  PyObject* result = python.PyObject_Call(self, arguments, keywords);
  // A fork inside the call wipes the child's Thread.
  if (this_thread == thread && thread->of<TorchThread>().own_calls != 0) thread->of<TorchThread>().own_calls--;
  return result;
}

PyMethodDef call_definition{"own_calls", reinterpret_cast<void*>(call_unrecorded), kMethodVarArgs | kMethodKeywords,
                            nullptr};

PyObject* own_calls_of(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 1) return return_none();
  return python.PyCFunction_NewEx(&call_definition, arguments[0], nullptr);
}

}  // namespace

bool add_own_call_functions(PyObject* globals) {
  static PyMethodDef definition{"own_calls_of", reinterpret_cast<void*>(own_calls_of), kMethodFastCall, nullptr};
  return add_function(globals, &definition);
}

}  // namespace xsp::guest
