#pragma once

#include <cstdint>

#include "analysis/trace/level.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Whether events of `level` were to be recorded, by the deepest level that was asked for (xsp-run --level). Where they
/// were not, that there are none of them says nothing.
inline bool records(const Segment& segment, Level level) {
  if (segment.requested_level == "model") return level <= Level::kModel;
  if (segment.requested_level == "layer") return level <= Level::kLayer;
  return segment.requested_level != "library" || level <= Level::kLibrary;
}

inline bool records(const Trace& trace, uint32_t process, Level level) {
  return records(trace.segments[trace.processes[process].segment], level);
}

}  // namespace xsp::analysis
