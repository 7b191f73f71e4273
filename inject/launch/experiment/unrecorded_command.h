#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inject/launch/run/command_process.h"
#include "inject/launch/run/signal_inbox.h"

namespace xsp::launch {

/// Runs a command without recording it: a warm-up, or what prepares a run.
Status run_unrecorded(const std::vector<std::string>& command, const CommandStreams& streams, SignalInbox* signals,
                      Ending* ending);

}  // namespace xsp::launch
