#pragma once

#include <cstdint>

#include "inject/python/tensor_shape.h"

namespace xsp::guest {

/// Which argument of a run has the inputs.
enum class InputPlace : uint8_t { kFeed, kValueFeed, kBinding, kNowhere };

/// Shapes of the inputs of a run of ONNX Runtime's, of the first eight: of a feed what its values say (`shape`, or what
/// it returns), of a binding what it was told (`_xsp_shapes`, by onnxruntime_runs.py). Those that cannot be had are
/// left out. May run code of the program. False: an exception that is not to be cleared (forget_failure()) is set.
bool read_input_shapes(InputPlace place, PyObject* arguments, PyObject* keywords, Shapes* shapes);
bool read_feed_shapes(PyObject* feed, Shapes* shapes);

/// intern_shapes(), remembered for a few, as most runs have the inputs of one before them. The GIL is held.
uint32_t feed_shapes_id(const Shapes& shapes);

}  // namespace xsp::guest
