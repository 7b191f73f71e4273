#pragma once

#include <sys/types.h>

/// The part of CPython's C API that the guest uses, found in the running interpreter: no headers and no link, so that
/// one build serves every CPython from 3.8. Signatures: https://docs.python.org/3/c-api/
struct _object;  // NOLINT(bugprone-reserved-identifier): CPython's own name
using PyObject = _object;
using Py_ssize_t = ssize_t;

namespace xsp::guest {

struct PyMethodDef {
  const char* name;
  void* function;
  int flags;
  const char* documentation;
};

/// METH_FASTCALL: PyObject* (*)(PyObject* self, PyObject* const* arguments, Py_ssize_t count).
inline constexpr int kMethodFastCall = 0x80;
/// METH_VARARGS and METH_KEYWORDS: PyObject* (*)(PyObject* self, PyObject* arguments, PyObject* keywords). With
/// METH_FASTCALL, values of keywords come after the others, and a tuple of their names is the last argument.
inline constexpr int kMethodVarArgs = 0x1;
inline constexpr int kMethodKeywords = 0x2;
inline constexpr int kFileInput = 257;  // Py_file_input

#define XSP_CPYTHON_FUNCTIONS(X)                                                   \
  X(PyObject*, PyRun_StringFlags, (const char*, int, PyObject*, PyObject*, void*)) \
  X(PyObject*, PyDict_New, (void))                                                 \
  X(int, PyDict_SetItem, (PyObject*, PyObject*, PyObject*))                        \
  X(int, PyDict_SetItemString, (PyObject*, const char*, PyObject*))                \
  X(PyObject*, PyDict_GetItemString, (PyObject*, const char*))                     \
  X(PyObject*, PyDict_GetItem, (PyObject*, PyObject*))                             \
  X(PyObject*, PyDict_GetItemWithError, (PyObject*, PyObject*))                    \
  X(int, PyDict_Next, (PyObject*, Py_ssize_t*, PyObject**, PyObject**))            \
  X(PyObject*, PyEval_GetBuiltins, (void))                                         \
  X(PyObject*, PyObject_GetAttr, (PyObject*, PyObject*))                           \
  X(PyObject*, PyObject_GetAttrString, (PyObject*, const char*))                   \
  X(int, PyObject_SetAttrString, (PyObject*, const char*, PyObject*))              \
  X(int, PyObject_SetAttr, (PyObject*, PyObject*, PyObject*))                      \
  X(PyObject*, PyObject_Call, (PyObject*, PyObject*, PyObject*))                   \
  X(PyObject*, PyObject_CallFunctionObjArgs, (PyObject*, ...))                     \
  X(PyObject*, PyObject_CallMethodObjArgs, (PyObject*, PyObject*, ...))            \
  X(int, PyObject_IsTrue, (PyObject*))                                             \
  X(PyObject*, PyObject_Type, (PyObject*))                                         \
  X(PyObject*, PyCFunction_NewEx, (PyMethodDef*, PyObject*, PyObject*))            \
  X(void, Py_IncRef, (PyObject*))                                                  \
  X(void, Py_DecRef, (PyObject*))                                                  \
  X(const char*, PyUnicode_AsUTF8AndSize, (PyObject*, Py_ssize_t*))                \
  X(PyObject*, PyUnicode_InternFromString, (const char*))                          \
  X(PyObject*, PyUnicode_FromString, (const char*))                                \
  X(PyObject*, PyTuple_GetItem, (PyObject*, Py_ssize_t))                           \
  X(Py_ssize_t, PyTuple_Size, (PyObject*))                                         \
  X(Py_ssize_t, PyList_Size, (PyObject*))                                          \
  X(PyObject*, PyList_GetItem, (PyObject*, Py_ssize_t))                            \
  X(PyObject*, PySequence_List, (PyObject*))                                       \
  X(PyObject*, PySequence_Tuple, (PyObject*))                                      \
  X(PyObject*, PyLong_FromUnsignedLongLong, (unsigned long long))                  \
  X(long long, PyLong_AsLongLong, (PyObject*))                                     \
  X(unsigned long long, PyLong_AsUnsignedLongLong, (PyObject*))                    \
  X(PyObject*, PyWeakref_NewRef, (PyObject*, PyObject*))                           \
  X(PyObject*, PyErr_Occurred, (void))                                             \
  X(void, PyErr_GetExcInfo, (PyObject**, PyObject**, PyObject**))                  \
  X(void, PyErr_Clear, (void))                                                     \
  X(int, PyErr_ExceptionMatches, (PyObject*))                                      \
  X(void, PyErr_Fetch, (PyObject**, PyObject**, PyObject**))                       \
  X(void, PyErr_Restore, (PyObject*, PyObject*, PyObject*))                        \
  X(int, PyType_IsSubtype, (PyObject*, PyObject*))

/// The functions, and the objects that are data in the interpreter.
struct CPython {
#define XSP_DECLARE(result, name, arguments) result(*name) arguments;
  XSP_CPYTHON_FUNCTIONS(XSP_DECLARE)
#undef XSP_DECLARE
  // From CPython 3.9 on; null before.
  PyObject* (*PyObject_Vectorcall)(PyObject*, PyObject* const*, size_t, PyObject*);
  PyObject* none;
  PyObject* tuple_type;
  PyObject* list_type;
  PyObject* dict_type;
  PyObject* exception_type;
  /// Null before CPython 3.9.
  void* (*PyInterpreterState_Get)();
  void* (*PyInterpreterState_Main)();
};

/// Set once by load_cpython(), which returns false when the interpreter lacks a function: then nothing in Python is
/// hooked.
extern CPython python;
bool load_cpython();

/// The address of a function or of an object of the running interpreter; null if it has none of that name.
void* find_in_interpreter(const char* name);

/// The same for a typed pointer; false if there is none.
template <typename Object>
bool find_in_interpreter(Object*& object, const char* name) {
  object = reinterpret_cast<Object*>(find_in_interpreter(name));
  return object != nullptr;
}

/// Whether this is the main interpreter. Objects of one interpreter cannot be used in another, and die with it.
bool is_main_interpreter();

/// A reference that is released at the end of the scope. Its user must hold the GIL.
class Owned {
 public:
  explicit Owned(PyObject* object) : object_(object) {}
  ~Owned() {
    if (object_ != nullptr) python.Py_DecRef(object_);
  }
  Owned(Owned&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  Owned& operator=(Owned&& other) noexcept {
    PyObject* const replaced = object_;
    object_ = other.object_;
    other.object_ = replaced;
    return *this;
  }

  /// Takes a reference of its own to a borrowed object, which may be null.
  static Owned share(PyObject* object) {
    if (object != nullptr) python.Py_IncRef(object);
    return Owned(object);
  }

  PyObject* get() const { return object_; }
  /// Gives the reference to the caller.
  PyObject* release() {
    PyObject* const released = object_;
    object_ = nullptr;
    return released;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_;
};

/// A new reference to None, what our functions return to Python.
inline PyObject* return_none() {
  python.Py_IncRef(python.none);
  return python.none;
}

/// True if the object's type is `type` or derived from it. Runs no code of the program.
inline bool is_a(PyObject* object, PyObject* type) {
  const Owned actual(python.PyObject_Type(object));
  return actual.get() == type || python.PyType_IsSubtype(actual.get(), type) != 0;
}

/// Clears the exception of an attempt that may fail. False if it is not an Exception (KeyboardInterrupt, SystemExit):
/// it came from outside and must be left to the program.
inline bool forget_failure() {
  if (python.PyErr_Occurred() == nullptr) return true;
  if (python.PyErr_ExceptionMatches(python.exception_type) == 0) return false;
  python.PyErr_Clear();
  return true;
}

/// Preserves an exception that is being raised when our code is called.
class ExceptionKeeper {
 public:
  ExceptionKeeper() { python.PyErr_Fetch(&type_, &value_, &traceback_); }
  ~ExceptionKeeper() {
    if (!is_forgotten_) python.PyErr_Restore(type_, value_, traceback_);
  }
  ExceptionKeeper(const ExceptionKeeper&) = delete;
  ExceptionKeeper& operator=(const ExceptionKeeper&) = delete;

  /// Drops the kept exception: another one takes its place.
  void forget() {
    const Owned type(type_);
    const Owned value(value_);
    const Owned traceback(traceback_);
    is_forgotten_ = true;
  }

 private:
  bool is_forgotten_ = false;
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
};

}  // namespace xsp::guest
