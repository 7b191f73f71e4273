#pragma once

#include <functional>
#include <string>

#include "inject/launch/options/options.h"
#include "inject/launch/run/install_layout.h"
#include "inject/launch/run/recording.h"
#include "inject/launch/run/signal_inbox.h"

namespace xsp::launch {

/// The first run of --concurrency apply, which measures.
struct MeasuringRun {
  Status started;       ///< not ok: the command did not run
  std::string problem;  ///< empty: its trace is whole; else why there is no second run
  Ending ending;
  std::string trace;   ///< of this run; it is kept
  std::string output;  ///< where the trace of the second run goes
};

/// Runs the command without its standard output, with numbers of threads in turns, into `<output>.measured.pb`.
/// `choose_output`: chooses the output of the second run.
MeasuringRun measure_first(const Options& options, const InstallLayout& layout, const std::string& auditor,
                           const std::function<Status(pid_t, std::string*)>& choose_output, SignalInbox* signals);

/// `run.pb`: `run.measured.pb`.
std::string measured_beside(const std::string& output);

}  // namespace xsp::launch
