#include "inject/python/constructors.h"

namespace xsp::guest {
namespace {

/// Damaged or hostile programs may nest without end.
constexpr int kMostFrames = 2000;
constexpr int kMostWrappers = 8;
constexpr int kMostDerivations = 100;

struct {
  PyObject* (*PyEval_GetFrame)();
  PyObject* (*PyFrame_GetBack)(PyObject*);
  PyObject* (*PyFrame_GetCode)(PyObject*);
  PyObject* (*PyFunction_GetCode)(PyObject*);
  PyObject* (*PyType_Lookup)(PyObject*, PyObject*);
  PyObject* type_type;
  PyObject* function_type;
  bool are_all_there;
} interpreter;

constinit PyObject* module_class = nullptr;
constinit PyObject* init_name = nullptr;
constinit PyObject* co_name = nullptr;
constinit PyObject* subclasses_name = nullptr;

/// Codes named `__init__` that were looked for, which are kept alive so that no other code gets their address.
struct Verdict {
  PyObject* code;
  bool is_constructor;
};
constexpr size_t kMostVerdicts = 64;
constinit Verdict verdicts[kMostVerdicts] = {};
constinit size_t next_verdict = 0;

bool find_functions() {
  return find_in_interpreter(interpreter.PyEval_GetFrame, "PyEval_GetFrame") &&
         find_in_interpreter(interpreter.PyFrame_GetBack, "PyFrame_GetBack") &&
         find_in_interpreter(interpreter.PyFrame_GetCode, "PyFrame_GetCode") &&
         find_in_interpreter(interpreter.PyFunction_GetCode, "PyFunction_GetCode") &&
         find_in_interpreter(interpreter.PyType_Lookup, "_PyType_Lookup") &&
         find_in_interpreter(interpreter.type_type, "PyType_Type") &&
         find_in_interpreter(interpreter.function_type, "PyFunction_Type");
}

/// Names of code are interned, so that one address is one name.
bool is_named_init(PyObject* code) {
  const Owned name(python.PyObject_GetAttr(code, co_name));
  if (!name) python.PyErr_Clear();
  return name.get() == init_name;
}

/// Whether a class's constructor is this code, or a function around it that says so (functools.wraps).
bool is_constructed_by(PyObject* type, PyObject* code) {
  Owned function = Owned::share(interpreter.PyType_Lookup(type, init_name));
  for (int depth = 0; function && depth < kMostWrappers; ++depth) {
    const Owned kind(python.PyObject_Type(function.get()));
    if (kind.get() != interpreter.function_type) return false;
    PyObject* const own = interpreter.PyFunction_GetCode(function.get());
    if (own == code) return true;
    if (is_named_init(own)) return false;
    function = Owned(python.PyObject_GetAttrString(function.get(), "__wrapped__"));
  }
  if (!function) python.PyErr_Clear();
  return false;
}

/// type.__subclasses__(type): a list.
Owned subclasses_of(PyObject* type) {
  Owned subclasses(
      python.PyObject_CallMethodObjArgs(interpreter.type_type, subclasses_name, type, static_cast<PyObject*>(nullptr)));
  if (!subclasses) python.PyErr_Clear();
  return subclasses;
}

/// Whether the class, or one derived from it, is constructed by this code.
bool constructs_derived(PyObject* type, PyObject* code, int depth) {
  if (is_constructed_by(type, code)) return true;
  if (depth == kMostDerivations) return false;
  const Owned subclasses = subclasses_of(type);
  const Py_ssize_t count = subclasses ? python.PyList_Size(subclasses.get()) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (constructs_derived(python.PyList_GetItem(subclasses.get(), i), code, depth + 1)) return true;
  }
  return false;
}

bool is_constructor(PyObject* code) {
  for (const Verdict& verdict : verdicts) {
    if (verdict.code == code) return verdict.is_constructor;
  }
  const bool is_one = constructs_derived(module_class, code, 0);
  python.Py_IncRef(code);
  Verdict& verdict = verdicts[next_verdict++ % kMostVerdicts];
  PyObject* const replaced = verdict.code;
  verdict = {.code = code, .is_constructor = is_one};
  if (replaced != nullptr) python.Py_DecRef(replaced);
  return is_one;
}

}  // namespace

void set_module_class(PyObject* type) {
  interpreter.are_all_there = find_functions();
  python.Py_IncRef(type);
  module_class = type;
  init_name = python.PyUnicode_InternFromString("__init__");
  co_name = python.PyUnicode_InternFromString("co_name");
  subclasses_name = python.PyUnicode_InternFromString("__subclasses__");
}

bool is_inside_constructor() {
  if (!interpreter.are_all_there) return false;
  Owned frame = Owned::share(interpreter.PyEval_GetFrame());
  for (int depth = 0; frame && depth < kMostFrames; ++depth) {
    const Owned code(interpreter.PyFrame_GetCode(frame.get()));
    if (is_named_init(code.get()) && is_constructor(code.get())) return true;
    frame = Owned(interpreter.PyFrame_GetBack(frame.get()));
  }
  return false;
}

}  // namespace xsp::guest
