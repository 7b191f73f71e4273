#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "inject/launch/concurrency/policy.h"
#include "inject/launch/options/options.h"
#include "inject/launch/run/command_process.h"
#include "inject/launch/run/install_layout.h"
#include "inject/launch/run/signal_inbox.h"
#include "inject/launch/run/trace_outcome.h"

namespace xsp::launch {

using ChooseOutput = std::function<Status(pid_t, std::string*)>;

/// What --concurrency makes of a run.
struct ThreadsPlan {
  Status refused;                 ///< not ok: nothing is run any more
  std::optional<Ending> stopped;  ///< of a first run that failed, after which there is no second
  Options options;                ///< of the run
  bool is_by_variables = false;   ///< the policy holds for the whole run, by variables of the environment
  Policy policy;                  ///< that it applies
  ChooseOutput choose_output;     ///< of its trace
};

/// Finds out what to apply, in a run of the command of its own where the user names no trace, and tells the user what
/// is going to happen. Without --concurrency the run is as it was.
ThreadsPlan plan_threads(const Options& options, const InstallLayout& layout, const std::string& auditor,
                         const ChooseOutput& choose_output, SignalInbox* signals);

/// Text of the file with what the guest is to apply; empty: nothing.
std::string policy_of_guest(const ThreadsPlan& plan);

/// The line for the end of the run; empty: there is nothing to say.
std::string threads_line(const ThreadsPlan& plan, const TraceOutcome& outcome, const std::string& report);

}  // namespace xsp::launch
