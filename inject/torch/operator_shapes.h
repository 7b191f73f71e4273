#pragma once

#include <cstdint>

#include "inject/torch/function_layout.h"

namespace xsp::guest {

/// String id of the shapes of the tensors among the values, the first eight of them, as "[1,64,112,112];[64]"; 0 where
/// there is none, or its shape is not known. Shapes that were seen before are found without a lock and without their
/// text. A program may make up to 65,536 different ones; further ones have none, so that they leave room for other
/// strings.
uint32_t shapes_of(const TorchValues& values);

}  // namespace xsp::guest
