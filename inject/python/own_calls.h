#pragma once

#include "inject/python/cpython.h"

namespace xsp::guest {

/// Calls of models that PyTorch makes for itself, for example to check a trace: their operators are recorded, models
/// and layers are not. torch_hooks.py marks what makes them, through
///   own_calls_of(function) -> function     a C function, so that no frame is added to the program's stack
bool add_own_call_functions(PyObject* globals);

}  // namespace xsp::guest
