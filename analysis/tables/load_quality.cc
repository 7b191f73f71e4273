/// The part of Q1 on the processors that a command could use, and on who else wanted them.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/study/recorded_processors.h"
#include "analysis/tables/quality_rows.h"
#include "base/quantity_text.h"

namespace xsp::analysis {
namespace {

/// Of all recordings: the fewest processors and the most load.
struct ToldProcessors {
  size_t recordings = 0;
  wire::Processors fewest;  // that may be used
  std::optional<double> quota;
  uint32_t runnable = 0;
  double load = 0;
  uint32_t online = 0;  // of the recording with the most load for its processors

  void add(const wire::Processors& told) {
    const bool is_known = told.allowed != 0;
    if (is_known && (fewest.allowed == 0 || told.allowed < fewest.allowed)) fewest = told;
    if (told.quota > 0 && (!quota || told.quota < *quota)) quota = told.quota;
    if (recordings++ == 0 || told.load * online > load * told.online) {
      load = told.load;
      online = told.online;
    }
    runnable = std::max(runnable, told.runnable);
  }

  std::string of_recordings(std::string_view which) const {
    return recordings == 1 ? "" : fmt::format("; the {} of {}", which, plural(recordings, "recording"));
  }
};

std::string allowed_note(const ToldProcessors& told) {
  const wire::Processors& fewest = told.fewest;
  std::string note = fewest.allowed < fewest.online
                         ? fmt::format("of {}: the command may not run on the others (its affinity)", fewest.online)
                         : "all of the machine's";
  if (fewest.cores != 0 && fewest.cores < fewest.allowed) {
    note += fmt::format("; they are threads of {}", plural(fewest.cores, "core"));
  }
  return note + told.of_recordings("fewest");
}

std::string runnable_note(const ToldProcessors& told) {
  if (told.runnable == 0) return {};
  return "tasks of others that ran or waited for a processor as the recording began: they take time from the command" +
         told.of_recordings("most");
}

}  // namespace

void add_processor_rows(const Trace& trace, QualityRows* rows) {
  ToldProcessors told;
  for (const Segment& segment : trace.segments) {
    if (segment.processors) told.add(*segment.processors);
  }
  if (told.recordings == 0) return;
  if (told.fewest.allowed != 0) {
    rows->add("allowed_processors", "all", count_cell(told.fewest.allowed), allowed_note(told));
  }
  if (told.quota) {
    rows->add("processor_quota", "all", cell(*told.quota),
              "processors' worth of time that the control groups grant the command" + told.of_recordings("least"));
  }
  rows->add("runnable_before", "all", count_cell(told.runnable), runnable_note(told));
  rows->add("load_before", "all", cell(told.load),
            told.online != 0 && told.load > told.online
                ? fmt::format("load average of the minute before, more than the {}: others were busy, and times may "
                              "be too long",
                              plural(told.online, "processor"))
                : "load average of the minute before");
}

}  // namespace xsp::analysis
