#pragma once

#include <string>

#include "collector/recording/recording.h"
#include "collector/recording/summary.h"

namespace xsp {

/// How the trace ended.
struct Outcome {
  std::string output;
  bool complete = true;
  /// Empty: none.
  std::string error;
};

/// The line of JSON that the launcher reads at the end (doc/collector.md).
std::string status_report(const Outcome& outcome, const Recording& recording);

/// Writes `line` and a newline to a descriptor; with -1 nothing is written. False if it cannot be written, for example
/// because the reader has gone.
bool write_status_line(int fd, const std::string& line);

}  // namespace xsp
