#include "inject/python/cpython.h"

#include <dlfcn.h>

#include "inject/objects/loader_functions.h"

namespace xsp::guest {

constinit CPython python{};

void* find_in_interpreter(const char* name) { return next_loader().dlsym(RTLD_DEFAULT, name); }

bool load_cpython() {
  if (python.dict_type != nullptr) return true;
#define XSP_FIND(result, name, arguments)                                          \
  python.name = reinterpret_cast<result(*) arguments>(find_in_interpreter(#name)); \
  if (python.name == nullptr) return false;
  XSP_CPYTHON_FUNCTIONS(XSP_FIND)
#undef XSP_FIND
  python.PyObject_Vectorcall =
      reinterpret_cast<decltype(python.PyObject_Vectorcall)>(find_in_interpreter("PyObject_Vectorcall"));
  python.none = static_cast<PyObject*>(find_in_interpreter("_Py_NoneStruct"));
  python.tuple_type = static_cast<PyObject*>(find_in_interpreter("PyTuple_Type"));
  python.list_type = static_cast<PyObject*>(find_in_interpreter("PyList_Type"));
  python.PyInterpreterState_Get = reinterpret_cast<void* (*)()>(find_in_interpreter("PyInterpreterState_Get"));
  python.PyInterpreterState_Main = reinterpret_cast<void* (*)()>(find_in_interpreter("PyInterpreterState_Main"));
  const auto exception_type = static_cast<PyObject**>(find_in_interpreter("PyExc_Exception"));
  if (python.none == nullptr || python.tuple_type == nullptr || python.list_type == nullptr) return false;
  if (exception_type == nullptr) return false;
  python.exception_type = *exception_type;
  // Last: it says that all others have been found.
  python.dict_type = static_cast<PyObject*>(find_in_interpreter("PyDict_Type"));
  return python.dict_type != nullptr;
}

bool is_main_interpreter() {
  return python.PyInterpreterState_Get == nullptr || python.PyInterpreterState_Main == nullptr ||
         python.PyInterpreterState_Get() == python.PyInterpreterState_Main();
}

}  // namespace xsp::guest
