#pragma once

#include <cstdint>
#include <string>

#include "inject/launch/experiment/planned_run.h"
#include "inject/launch/run/signal_inbox.h"

namespace xsp::launch {

/// Runs the user's shell command between the runs (--prepare), in which `{run}` is `number` and `{NAME}` a parameter of
/// `run`. What it prints is kept in `folder` while it runs. The problem in one line; empty: it succeeded.
std::string prepare_run(const std::string& command, const PlannedRun& run, uint32_t number, const std::string& folder,
                        SignalInbox* signals);

}  // namespace xsp::launch
