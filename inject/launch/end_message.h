#pragma once

#include <string>
#include <vector>

#include "options.h"
#include "private_collector.h"

namespace xsp::launch {

/// What is known of the trace when the command has ended.
struct TraceOutcome {
  PrivateCollector::End end = PrivateCollector::End::kDied;
  CollectorStatus status;
  std::string how_collector_died;
  std::string output;   ///< where the trace was to be written
  std::string program;  ///< name of the command, for the message
};

/// True if every span that happened is in a finished trace, and there is at least one.
bool is_whole(const TraceOutcome& outcome);

/// The lines for the user: at most 15, the numbers that matter, what was lost, where the trace is, and the command to
/// copy. Errors only if `options.quiet`. `report`: path of xsp-report, may be empty.
std::vector<std::string> end_message(const Options& options, const TraceOutcome& outcome, const std::string& report);

}  // namespace xsp::launch
