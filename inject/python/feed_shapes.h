#pragma once

#include <cstdint>

#include "inject/python/tensor_shape.h"

namespace xsp::guest {

/// Which argument of a run has the inputs.
enum class InputPlace : uint8_t { kFeed, kValueFeed, kBinding, kNowhere };

/// Shapes of the inputs of a run of ONNX Runtime's, of the first eight: of a feed what its values say (`shape`, or what
/// it returns), of a binding what it was told (bound_shapes.h). Those that cannot be had are
/// left out. May run code of the program. False: an exception that is not to be cleared (forget_failure()) is set.
bool read_input_shapes(InputPlace place, PyObject* arguments, PyObject* keywords, Shapes* shapes);
bool read_feed_shapes(PyObject* feed, Shapes* shapes);

/// intern_shapes(), remembered for a few, as most runs have the inputs of one before them. The GIL is held.
uint32_t feed_shapes_id(const Shapes& shapes);

/// The shape of an array, or of an OrtValue, whose `shape` is a method. A new reference; null with an exception.
PyObject* shape_of_input(PyObject* value);

/// An argument of a method as it was called, the object being the one at 0. Borrowed; null: it was not given.
PyObject* given_argument(PyObject* arguments, Py_ssize_t position, PyObject* keywords, PyObject* name);

}  // namespace xsp::guest
