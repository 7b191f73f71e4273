#pragma once

#include <string>

#include "inject/launch/options/options.h"
#include "inject/launch/run/collector_status.h"
#include "inject/launch/run/install_layout.h"
#include "inject/launch/run/signal_inbox.h"

namespace xsp::launch {

/// The result of the second run of a command, in which its kernels are counted.
struct CountedRun {
  std::string problem;     ///< empty: it ran to its end, and the trace has it
  CollectorStatus status;  ///< of its part of the trace
};

/// Runs the command again, counting, without standard input and output, and appends what was counted to the finished
/// trace of the first run.
CountedRun count_again(const Options& options, const InstallLayout& layout, const std::string& auditor,
                       const std::string& trace, SignalInbox* signals);

}  // namespace xsp::launch
