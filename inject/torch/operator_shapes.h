#pragma once

#include <cstdint>

#include "inject/torch/function_layout.h"

namespace xsp::guest {

/// String id of the shapes of the tensors among the values, the first eight of them, as "[1,64,112,112];[64]"; 0 if
/// there is none, or no shape is known. Shapes that were seen before are found without a lock and without their text.
/// Up to 65,536 different shapes are kept; further ones are not recorded, to leave room for other strings.
uint32_t shapes_of(const TorchValues& values);

}  // namespace xsp::guest
