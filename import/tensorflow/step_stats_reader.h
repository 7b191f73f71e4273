#pragma once

#include <cstdint>
#include <string_view>

#include "import/tensorflow/step_stats.h"

namespace xsp {

/// Reads a StepStats, or a RunMetadata that contains one, in protobuf's binary form
/// (tensorflow/core/protobuf/config.proto, tensorflow/core/framework/step_stats.proto). False if it is damaged:
/// `position` is the byte offset, and what precedes it was read.
bool read_step_stats(std::string_view bytes, StepStats* stats, uint64_t* position);

/// What identifies the first bytes as a StepStats or a RunMetadata: a device name where it must be.
bool looks_like_step_stats(std::string_view head);

}  // namespace xsp
