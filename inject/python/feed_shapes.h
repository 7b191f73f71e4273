#pragma once

#include <cstdint>

#include "inject/python/tensor_shape.h"

namespace xsp::guest {

/// Which argument of a run holds the inputs.
enum class InputPlace : uint8_t { kFeed, kValueFeed, kBinding, kNowhere };

/// Shapes of the first eight inputs of a run of ONNX Runtime: for a feed what its values say (`shape`, or what that
/// returns), for a binding what was kept of it (bound_shapes.h). Shapes that cannot be read are left out. May run code
/// of the program. False: an exception that is not to be cleared (forget_failure()) is set.
bool read_input_shapes(InputPlace place, PyObject* arguments, PyObject* keywords, Shapes* shapes);
bool read_feed_shapes(PyObject* feed, Shapes* shapes);

/// intern_shapes(), with a few remembered, as most runs have the input shapes of an earlier one. The GIL must be held.
uint32_t feed_shapes_id(const Shapes& shapes);

/// The shape of an array, or of an OrtValue, whose `shape` is a method. A new reference; null with an exception.
PyObject* shape_of_input(PyObject* value);

/// An argument of a method call, by position or keyword; the object itself is at position 0. Borrowed; null if it was
/// not given.
PyObject* given_argument(PyObject* arguments, Py_ssize_t position, PyObject* keywords, PyObject* name);

}  // namespace xsp::guest
