#pragma once

#include "inject/python/cpython.h"

namespace xsp::guest {

/// Whether the thread is inside torch.jit.trace, where reading a shape would add operators to the program's graph.
bool is_tracing();

/// Types of the values that stand for tensors while a model is traced or compiled. A model that is called with them
/// computes nothing. `first`: the first positional argument, null without one.
bool is_called_with_stand_in(PyObject* first);
void add_stand_in(PyObject* type);

/// `python_function`: torch._C._get_tracing_state, or None.
void find_tracing_state(PyObject* python_function);

}  // namespace xsp::guest
