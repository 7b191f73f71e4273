#include "analysis/tables/shallow_recording.h"

#include <fmt/format.h>

#include "analysis/trace/recorded_levels.h"

namespace xsp::analysis {
namespace {

/// Of the recordings that were not to have events of `level`, the one that went deepest; null: there is none. Runs that
/// leave these events to other runs of their set do not count.
const Segment* deepest_above(const Study& study, Level level) {
  const Segment* found = nullptr;
  for (const Segment& segment : study.trace.segments) {
    if (records(segment, level) || is_shallow_run(study, segment, level)) continue;
    const bool is_deeper = found == nullptr || (records(segment, Level::kLayer) && !records(*found, Level::kLayer)) ||
                           (records(segment, Level::kLibrary) && !records(*found, Level::kLibrary));
    if (is_deeper) found = &segment;
  }
  return found;
}

}  // namespace

std::string shallow_recording_note(const Study& study, Level level, std::string_view events) {
  const Segment* segment = deepest_above(study, level);
  if (segment == nullptr) return {};
  const bool is_sweep = segment->run && !segment->run->parameters.empty();
  const char* leveled = segment->run && study.levels.leveled ? " --leveled" : "";
  const char* option = level == Level::kLayer ? "layer" : level == Level::kLibrary ? "library" : "kernel";
  return fmt::format("recorded with --level {}; record {} with: {}{} --level {}{} -- COMMAND", segment->requested_level,
                     events, is_sweep ? "xsp-bench" : "xsp-run", leveled, option, is_sweep ? " -L …" : "");
}

}  // namespace xsp::analysis
