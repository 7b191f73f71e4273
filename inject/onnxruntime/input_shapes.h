#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/onnxruntime/ort_sessions.h"

namespace xsp::guest {

/// String id of the shapes of a run's inputs, "[1,3,224,224];[1,77]", the first eight of them; 0 for none. What is no
/// dense tensor has no shape. Shapes that the session has seen before are not made again.
uint32_t ort_input_shapes(OrtSession& session, const void* const* inputs, size_t count);

}  // namespace xsp::guest
