#pragma once

#include <cstdint>
#include <string_view>

#include "import/tensorflow/step_stats.h"

namespace xsp {

/// Whether the first bytes are a StepStats or a RunMetadata in protobuf's text form, as written by str() and provided
/// by TensorBoard.
bool looks_like_step_stats_text(std::string_view head);

/// Reads such a text. False if it is damaged or cut off: `position` is the byte offset, and the nodes before it were
/// read.
bool read_step_stats_text(std::string_view text, StepStats* stats, uint64_t* position);

}  // namespace xsp
