#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/onnxruntime/ort_sessions.h"

namespace xsp::guest {

/// String id of the shapes of a run's inputs, "[1,3,224,224];[1,77]", the first eight of them; 0 for none. Inputs that
/// are not dense tensors have no shape. The text is not made again for shapes that the session has seen before.
uint32_t ort_input_shapes(OrtSession& session, const void* const* inputs, size_t count);

}  // namespace xsp::guest
