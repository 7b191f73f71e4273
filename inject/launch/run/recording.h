#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "base/status.h"
#include "inject/launch/options/options.h"
#include "inject/launch/run/command_process.h"
#include "inject/launch/run/install_layout.h"
#include "inject/launch/run/signal_inbox.h"
#include "inject/launch/run/trace_outcome.h"

namespace xsp::launch {

/// One command that is to be recorded into one trace.
struct RecordingPlan {
  const Options& options;  ///< its command and level, and what the guest is told
  const InstallLayout& layout;
  const std::string& auditor;  ///< empty: none
  /// Chooses where the trace goes, by the pid of the command, which exists by then but has not begun.
  std::function<Status(pid_t, std::string*)> choose_output;
  bool overwrite = false;
  bool counted = false;         ///< hardware counters are read
  std::string run = {};         ///< which run of a set, as JSON for the trace's header; empty: not part of a set
  CommandStreams streams = {};  ///< the command's
  std::string policy = {};      ///< text of the file with the numbers of threads to apply; empty: none
};

/// The result of a recording.
struct Recording {
  Status started;  ///< not ok: the command did not run, and there is no trace
  Ending ending;
  double seconds = 0;  ///< from the command's exec to its end
  TraceOutcome outcome;
};

/// Runs a command with a collector of its own.
Recording record(const RecordingPlan& plan, SignalInbox* signals);

}  // namespace xsp::launch
