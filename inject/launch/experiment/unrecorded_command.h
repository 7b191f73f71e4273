#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/run/command_process.h"
#include "inject/launch/run/signal_inbox.h"

namespace xsp::launch {

/// Runs a command without recording it: a warm-up, or what prepares a run. Its environment is that of this process with
/// `variables` set.
Status run_unrecorded(const std::vector<std::string>& command, const CommandStreams& streams, SignalInbox* signals,
                      Ending* ending, const Variables& variables = {});

/// Runs the user's shell command between the runs (--prepare), in which `{run}` is `number` and `{NAME}` a parameter of
/// `run`. What it prints is kept in `folder` while it runs. The problem in one line; empty: it succeeded.
std::string prepare_run(const std::string& command, const PlannedRun& run, uint32_t number, const std::string& folder,
                        SignalInbox* signals);

}  // namespace xsp::launch
