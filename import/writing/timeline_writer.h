#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collector/writing/trace_writer.h"
#include "import/frame/profile_timeline.h"

namespace xsp {

/// What the user chose for the report (TraceHeader).
struct ImportChoices {
  std::string layers;
  std::string model_span;
};

/// What was written.
struct ImportTotals {
  uint64_t spans = 0;
  uint64_t executions = 0;
  uint64_t without_launch = 0;  // kernels, copies and memsets
  uint64_t overlapping = 0;     // spans that cross another one of their thread: in neither
};

/// Writes a timeline as one segment of a trace, and frees its memory along the way. `format` names the importer,
/// `files` are what it read.
ImportTotals write_timeline(ProfileTimeline* timeline, std::string_view format, const std::vector<std::string>& files,
                            const ImportChoices& choices, TraceWriter& writer);

}  // namespace xsp
