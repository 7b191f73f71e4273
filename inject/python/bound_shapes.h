#pragma once

#include "inject/python/tensor_shape.h"

namespace xsp::guest {

/// Shapes of the inputs of an IOBinding of ONNX Runtime's, which keeps none that Python could ask for. They lie in its
/// dictionary (`_xsp_shapes`). onnxruntime_runs.py has each way to bind an input call
///   keep_bound_shape(arguments, keywords, position, name, is_shape)
/// behind it, with its arguments and the place of the one that is the input, or its shape.
bool add_bound_shape_functions(PyObject* globals);

/// As read_input_shapes().
bool read_bound_shapes(PyObject* binding, Shapes* shapes);

}  // namespace xsp::guest
