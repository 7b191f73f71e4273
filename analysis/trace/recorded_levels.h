#pragma once

#include <cstdint>
#include <string>

#include "analysis/trace/level.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Whether a process was to record events of `level`, by the deepest level that was asked for (xsp-run --level). Where
/// it was not, that there are none of them says nothing.
inline bool records(const Trace& trace, uint32_t process, Level level) {
  const std::string& deepest = trace.segments[trace.processes[process].segment].requested_level;
  if (deepest == "model") return level <= Level::kModel;
  if (deepest == "layer") return level <= Level::kLayer;
  return deepest != "library" || level <= Level::kLibrary;
}

}  // namespace xsp::analysis
