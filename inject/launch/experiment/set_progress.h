#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inject/launch/experiment/run_plan.h"

namespace xsp::launch {

/// How long the rest of a set takes, by the runs that have ended.
class SetProgress {
 public:
  void ended(const PlannedRun& run, double seconds);

  /// Seconds that `run` will take: as long as the latest of its kind, else the longest with its parameters, else the
  /// latest of all. Nothing before the first has ended, or for a counting run: how much longer those take is not known.
  std::optional<double> expected(const PlannedRun& run) const;

  /// The sum over `runs`.
  double expected_time(const std::vector<PlannedRun>& runs) const;

  /// ` (about 40 s left)` for these runs, or nothing.
  std::string time_left(const std::vector<PlannedRun>& runs) const;

 private:
  struct Ended {
    PlannedRun run;
    double seconds;
  };
  std::vector<Ended> ended_;
};

/// Same command at the same level for the same purpose.
bool are_twins(const PlannedRun& one, const PlannedRun& other);

/// `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`.
std::string time_text(double seconds);

}  // namespace xsp::launch
