#include "inject/python/method_calls.h"

namespace xsp::guest {
namespace {

/// From CPython 3.12 on.
struct {
  void (*PyFunction_SetVectorcall)(PyObject*, VectorCall);
  VectorCall (*PyVectorcall_Function)(PyObject*);
} addresses;

bool has_addresses() {
  if (addresses.PyFunction_SetVectorcall != nullptr) return true;
  addresses.PyVectorcall_Function =
      reinterpret_cast<decltype(addresses.PyVectorcall_Function)>(find_in_interpreter("PyVectorcall_Function"));
  if (addresses.PyVectorcall_Function == nullptr) return false;
  addresses.PyFunction_SetVectorcall =
      reinterpret_cast<decltype(addresses.PyFunction_SetVectorcall)>(find_in_interpreter("PyFunction_SetVectorcall"));
  return addresses.PyFunction_SetVectorcall != nullptr;
}

bool is_python_function(PyObject* object) {
  const Owned type(python.PyObject_Type(object));
  return type.get() == find_in_interpreter("PyFunction_Type");
}

/// Puts `replacement` wherever the class has `present`.
bool replace_in_class(PyObject* owner, PyObject* present, PyObject* replacement) {
  const Owned attributes(python.PyObject_GetAttrString(owner, "__dict__"));
  const Owned names(attributes ? python.PySequence_List(attributes.get()) : nullptr);
  bool is_done = static_cast<bool>(names);
  for (Py_ssize_t i = 0; is_done && i < python.PyList_Size(names.get()); ++i) {
    PyObject* const name = python.PyList_GetItem(names.get(), i);
    const Owned value(python.PyObject_GetAttr(owner, name));
    // Some names of a class have no value.
    if (!value) python.PyErr_Clear();
    if (value.get() == present) is_done = python.PyObject_SetAttr(owner, name, replacement) == 0;
  }
  if (!is_done) python.PyErr_Clear();
  return is_done;
}

/// Finds how calls of the method can be intercepted. False if they cannot.
bool prepare(MethodCalls& calls, PyObject* function) {
  if (!is_python_function(function)) return false;
  if (has_addresses()) {
    calls.address = addresses.PyVectorcall_Function(function);
    return calls.address != nullptr;
  }
  if (python.PyObject_Vectorcall == nullptr) return false;
  calls.stand_in = make_function_stand_in(function, calls.ours);
  return calls.stand_in != nullptr;
}

}  // namespace

bool intercept_calls(MethodCalls& calls, PyObject* owner, const char* name) {
  if (calls.are_intercepted || (calls.owner != nullptr && calls.owner != owner)) return false;
  Owned function(python.PyObject_GetAttrString(owner, name));
  if (!function) {
    python.PyErr_Clear();
    return false;
  }
  if (calls.owner == nullptr) {
    if (!prepare(calls, function.get())) return false;
    calls.function = function.release();
    python.Py_IncRef(owner);
    calls.owner = owner;
  } else if (function.get() != calls.function) {
    return false;
  }
  if (calls.address != nullptr) {
    addresses.PyFunction_SetVectorcall(calls.function, calls.ours);
    calls.are_intercepted = true;
  } else {
    calls.are_intercepted = replace_in_class(owner, calls.function, calls.stand_in);
  }
  return calls.are_intercepted;
}

bool stop_intercepting(MethodCalls& calls) {
  if (!calls.are_intercepted) return false;
  calls.are_intercepted = false;
  if (calls.address != nullptr) {
    addresses.PyFunction_SetVectorcall(calls.function, calls.address);
  } else {
    replace_in_class(calls.owner, calls.stand_in, calls.function);
  }
  return true;
}

}  // namespace xsp::guest
