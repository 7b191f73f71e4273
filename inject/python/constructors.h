#pragma once

#include "inject/python/cpython.h"

namespace xsp::guest {

/// torch.nn.Module, whose classes have the constructors that is_inside_constructor() knows.
void set_module_class(PyObject* module_class);

/// Whether the calling thread is inside the `__init__` of a module's class. What a constructor calls (a forward pass of
/// zeros that finds sizes or strides) evaluates no model. Needs CPython 3.9 or newer, in older ones it is false. Runs
/// no code of the program, and reads no variables of its frames, which would keep them alive.
bool is_inside_constructor();

}  // namespace xsp::guest
