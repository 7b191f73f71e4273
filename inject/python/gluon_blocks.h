#pragma once

#include "inject/python/cpython.h"

namespace xsp::guest {

/// Calls of blocks of MXNet's Gluon: the outermost one is the call of a model, and names it. Operators that are pushed
/// without a name, as all are until hybridize(), have that of the innermost block.
///   use_gluon(Block, Symbol, NDArray)
bool add_gluon_functions(PyObject* globals);

}  // namespace xsp::guest
