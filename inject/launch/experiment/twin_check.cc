#include "inject/launch/experiment/twin_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/experiment/set_progress.h"

namespace xsp::launch {
namespace {

/// Shorter differences are those of starting a program.
constexpr double kLeastSeconds = 0.1;
/// Below the layers, calls may fall on more or fewer threads from run to run.
constexpr double kSpansMayDiffer = 0.01;

bool differ_in_time(double one, double other) {
  const auto [shorter, longer] = std::minmax(one, other);
  return longer > 2 * shorter && longer - shorter > kLeastSeconds;
}

bool differ_in_spans(const std::string& level, uint64_t one, uint64_t other) {
  if (level == "model" || level == "layer") return one != other;
  const auto [fewer, more] = std::minmax(one, other);
  return static_cast<double>(more - fewer) > kSpansMayDiffer * static_cast<double>(more);
}

}  // namespace

std::vector<std::string> TwinCheck::look_at(const PlannedRun& run, uint32_t index, double seconds, uint64_t spans) {
  const auto first =
      std::find_if(firsts_.begin(), firsts_.end(), [&](const Seen& seen) { return are_twins(seen.run, run); });
  if (first == firsts_.end()) {
    firsts_.push_back({run, index, seconds, spans});
    return {};
  }
  std::vector<std::string> lines;
  if (!told_time_ && differ_in_time(first->seconds, seconds)) {
    told_time_ = true;
    lines.push_back(fmt::format("run {} took {}, run {} of the same level {}: is something else running here?", index,
                                time_text(seconds), first->index, time_text(first->seconds)));
  }
  if (!told_spans_ && differ_in_spans(run.level, first->spans, spans)) {
    told_spans_ = true;
    lines.push_back(
        fmt::format("run {} recorded {} spans, run {} of the same level {}: does the command do the same "
                    "every time?",
                    index, spans, first->index, first->spans));
  }
  return lines;
}

}  // namespace xsp::launch
