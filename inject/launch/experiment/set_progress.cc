#include "inject/launch/experiment/set_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xsp::launch {

void SetProgress::ended(const PlannedRun& run, double seconds) { ended_.push_back({run, seconds}); }

std::optional<double> SetProgress::expected(const PlannedRun& run) const {
  if (ended_.empty() || run.purpose == RunPurpose::kCounters) return std::nullopt;
  const auto twin =
      std::find_if(ended_.rbegin(), ended_.rend(), [&](const Ended& ended) { return are_twins(ended.run, run); });
  if (twin != ended_.rend()) return twin->seconds;
  std::optional<double> longest;
  for (const Ended& ended : ended_) {
    const bool counts = ended.run.purpose == RunPurpose::kCounters;
    if (!counts && ended.run.parameters == run.parameters) longest = std::max(longest.value_or(0), ended.seconds);
  }
  return longest ? longest : ended_.back().seconds;
}

double SetProgress::expected_time(const std::vector<PlannedRun>& runs) const {
  double seconds = 0;
  for (const PlannedRun& run : runs) seconds += expected(run).value_or(0);
  return seconds;
}

std::string SetProgress::time_left(const std::vector<PlannedRun>& runs) const {
  const double seconds = expected_time(runs);
  if (seconds < 1) return {};
  const bool counting =
      std::any_of(runs.begin(), runs.end(), [](const PlannedRun& run) { return run.purpose == RunPurpose::kCounters; });
  return fmt::format(" (about {} left{})", time_text(seconds), counting ? ", without the counting run" : "");
}

bool are_twins(const PlannedRun& one, const PlannedRun& other) {
  return one.level == other.level && one.purpose == other.purpose && one.parameters == other.parameters;
}

std::string time_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace xsp::launch
