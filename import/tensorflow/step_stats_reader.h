#pragma once

#include <cstdint>
#include <string_view>

#include "import/tensorflow/step_stats.h"

namespace xsp {

/// Reads a StepStats, or a RunMetadata that holds one, in protobuf's binary form
/// (tensorflow/core/protobuf/config.proto, tensorflow/core/framework/step_stats.proto). False when it is damaged:
/// `position` is the byte, and what stands before it was read.
bool read_step_stats(std::string_view bytes, StepStats* stats, uint64_t* position);

/// What makes the first bytes a StepStats or a RunMetadata: the name of a device where it must stand.
bool looks_like_step_stats(std::string_view head);

}  // namespace xsp
