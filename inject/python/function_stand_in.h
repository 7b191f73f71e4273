#pragma once

#include "inject/python/cpython.h"

namespace xsp::guest {

/// What PEP 590 calls a vectorcall function. `flags` holds the number of positional arguments, of which a method's
/// first is its object, and a bit for the callee; values of `keywords` follow the positional ones.
using VectorCall = PyObject* (*)(PyObject* callable, PyObject* const* arguments, size_t flags, PyObject* keywords);

/// PY_VECTORCALL_ARGUMENTS_OFFSET: the callee may use the slot before the arguments.
inline constexpr size_t kMayUseSlotBefore = size_t{1} << (8 * sizeof(size_t) - 1);

/// A new object that the program takes for `function`, which is written in Python: reading, setting and deleting
/// attributes, `isinstance`, `repr`, `==`, `hash`, `inspect`, `pickle` and `copy` find the function, and it is bound
/// to objects like one. Only `type()` and `is` tell them apart. Calling it calls `call`, with this object as the
/// callable. It keeps the function alive. For CPython 3.9 to 3.11; null, without an exception, where it cannot be made.
PyObject* make_function_stand_in(PyObject* function, VectorCall call);

}  // namespace xsp::guest
