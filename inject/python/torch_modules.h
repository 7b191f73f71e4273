#pragma once

#include "inject/python/cpython.h"

namespace xsp::guest {

/// PyTorch's module calls as spans: a C method in the place of torch.nn.Module.__call__, or, where that must be
/// PyTorch's own, global forward hooks. torch_hooks.py puts them there, through
///   use_torch(tensor_type, parameter_type, get_tracing_state)
///   pass_calls_with(type)                             outermost calls whose first argument is of it are no models
///   use_operators(is_worker)                          the callbacks of inject/torch/operators.h
///   wrap_calls(Module), unwrap_calls(Module)          record calls by Module.__call__, no longer: whether it was done
///   module_begins(module, args)                       forward pre-hook
///   module_ends(module, args[, kwargs], output)       forward hook; output is None where forward raised
/// An outermost call is a model span; a call that contains no module call is a layer; those between are containers.
/// Inert while torch.jit.trace records, where reading a shape would add operators to the program's graph.
bool add_torch_functions(PyObject* globals);

}  // namespace xsp::guest
