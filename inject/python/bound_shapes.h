#pragma once

#include "inject/python/tensor_shape.h"

namespace xsp::guest {

/// Shapes of the inputs of an IOBinding of ONNX Runtime, which itself keeps none that Python could read. They are kept
/// in its dictionary (`_xsp_shapes`). After each way to bind an input onnxruntime_runs.py calls
///   keep_bound_shape(arguments, keywords, position, name, is_shape)
/// with the call's arguments, and with the position and name of the one that is the input, or its shape.
bool add_bound_shape_functions(PyObject* globals);

/// Reads the kept shapes of a binding; result and errors as of read_input_shapes().
bool read_bound_shapes(PyObject* binding, Shapes* shapes);

}  // namespace xsp::guest
