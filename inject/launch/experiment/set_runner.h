#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/options/options.h"
#include "inject/launch/run/command_process.h"

namespace xsp::launch {

/// The result of one run.
struct RunResult {
  Ending ending;               ///< of the command
  bool out_of_memory = false;  ///< the command failed, and what it or the kernel said shows that memory was the reason
  bool interrupted = false;    ///< a signal to xsp-run or xsp-bench asked to stop
  int interrupted_by = 0;      ///< which
  std::string problem;         ///< empty: the command succeeded and its trace is whole; else one line for the user
  std::string trace;           ///< path; empty where nothing was recorded
  std::string log;             ///< path of what the command printed

  bool good() const { return problem.empty() && !interrupted; }
  /// Recorded to the command's end, also where a signal was asking to stop.
  bool is_whole() const { return problem.empty() && !trace.empty(); }
};

/// What all runs of a set have in common.
struct SetOptions {
  Options recording;                ///< except level and command, which each run has for itself
  std::string program = "xsp-run";  ///< for messages
  std::string input_file;           ///< the standard input of every run; empty: none (/dev/null)
  std::string prepare;              ///< shell command before each run; empty: none
  bool show_output = false;         ///< the first run's output goes to the user when it has ended
};

/// Makes the runs of a set, one after the other, into a folder with one trace and one log a run and the index set.json,
/// which is whole after every run. All runs have the same standard streams: an input file or none, and a log.
class SetRunner {
 public:
  explicit SetRunner(SetOptions options);
  ~SetRunner();
  SetRunner(const SetRunner&) = delete;
  SetRunner& operator=(const SetRunner&) = delete;

  /// Makes the folder (that of recording.output, else xsp-<name>-<pid>), which must not hold anything else without
  /// recording.force, and finds the parts of XSP. Reports everything that can be known to be wrong before the first
  /// run.
  Status open(const std::vector<std::string>& command);

  /// Adds runs to the plan: they are in the index as planned, and the time left counts them.
  void add(const std::vector<PlannedRun>& runs);

  /// Makes the next planned run, telling which it is and how long the rest takes. False when none is left.
  bool run_next(RunResult* result);

  /// Takes the runs that are still planned out of the plan, or only those that `which` names: a sweep has found its
  /// end.
  void drop_planned(const std::string& why, const std::function<bool(const PlannedRun&)>& which = {});

  /// The signal that asked to stop, also between two runs; 0: none did.
  int asked_to_end();

  /// Writes the last state: complete, or why it was stopped.
  void close(const std::string& stopped_by);

  const std::string& folder() const;
  /// Path of xsp-report, for what a sweep asks of it; may be empty.
  const std::string& report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xsp::launch
