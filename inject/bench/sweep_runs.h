#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "inject/bench/options.h"
#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/experiment/set_runner.h"

namespace xsp::bench {

/// Progress for the user, on standard error; nothing with --quiet.
void say(const Options& options, const std::string& line);

/// What is run at a point of the sweep.
launch::RunPoint run_point(const Options& options, const launch::Parameters& point);

/// Whether a point needs as much memory as one that ran out of it: the same point, or one that differs only in `sizes`,
/// the parameters that memory grows with, and is smaller in none of them.
bool needs_as_much_memory(const launch::Parameters& point, const launch::Parameters& exhausted,
                          const std::vector<std::string>& sizes);

/// Makes the runs of a sweep and decides what a failed run means for those after it: running out of memory drops the
/// points that need as much; a failing command ends the sweep, or only its point with --ignore-failure.
class SweepRuns {
 public:
  /// `options` and `runner` must outlive this.
  SweepRuns(const Options& options, launch::SetRunner* runner);

  void add(const std::vector<launch::PlannedRun>& runs);

  /// Makes all runs that were added. False when the sweep has ended early.
  bool run_all();

  /// Whether a signal asked to stop, even between runs: the sweep has ended then.
  bool was_interrupted();

  /// Whether a run of this point ran out of memory, or failed and was ignored.
  bool was_given_up(const launch::Parameters& point) const;

  /// Runs that were recorded completely.
  size_t measured() const { return measured_; }
  /// Why the sweep ended early; empty: it did not.
  const std::string& stopped_by() const { return stopped_by_; }
  /// The status for the user: of the command that ended the sweep; of the first one that failed where nothing was
  /// measured; else 0.
  int exit_code() const { return measured_ > 0 && stopped_by_.empty() ? 0 : exit_code_; }
  /// The signal that asked xsp-bench to stop, or 0.
  int interrupted_by() const { return interrupted_by_; }

 private:
  void give_up(const launch::PlannedRun& run, const launch::RunResult& result);
  void stop(const launch::RunResult& result);
  bool is_time_over();
  void drop_points_like(const launch::Parameters& point, const std::vector<std::string>& sizes, const std::string& why);

  const Options& options_;
  launch::SetRunner* runner_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<std::string> sizes_;  ///< parameters that memory rises with
  std::deque<launch::PlannedRun> planned_;
  std::vector<launch::Parameters> given_up_;
  size_t made_ = 0;
  size_t measured_ = 0;
  std::string stopped_by_;
  int exit_code_ = 0;  ///< of the first run that failed
  int interrupted_by_ = 0;
};

}  // namespace xsp::bench
