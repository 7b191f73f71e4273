#pragma once

#include <string>
#include <vector>

#include "inject/launch/run/command_watch.h"
#include "inject/launch/run/private_collector.h"

namespace xsp::launch {

/// What is known of the trace when the command has ended.
struct TraceOutcome {
  PrivateCollector::End end = PrivateCollector::End::kDied;
  CollectorStatus status;
  std::string how_collector_died;
  std::string output;                 ///< where the trace was to be written
  std::vector<UnseenProcess> unseen;  ///< processes of the command that ran without XSP
  std::string program;                ///< name of the command, for the message

  /// Whether it went into a pipe or a device, from which nothing is read back.
  bool is_streamed() const;
  /// Whether it was written to its end; what was recorded may have losses.
  bool is_finished() const { return end == PrivateCollector::End::kFinished && status.error.empty(); }
};

/// Whether this was left out on purpose: the trace is whole without it.
bool is_on_purpose(const CollectorStatus::Loss& loss);

/// True if every span that happened is in a finished trace, and there is at least one.
bool is_whole(const TraceOutcome& outcome);

}  // namespace xsp::launch
