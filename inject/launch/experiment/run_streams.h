#pragma once

#include <string>

#include "base/status.h"
#include "inject/launch/run/command_process.h"

namespace xsp::launch {

/// Refuses an input that cannot serve several runs: it must give every run the same.
Status check_input(const std::string& file);

/// The standard streams of the runs of a set, which are the same for all. While a run lasts, its errors are in a file
/// beside its log; after it they are appended to what it printed, so that one file has all.
class RunStreams {
 public:
  /// `input_file`: empty for the standard input of xsp-run, if that is a regular file, else for none.
  explicit RunStreams(const std::string& input_file);

  /// Whether the user has an input that the runs do not get: a terminal or a pipe.
  bool leaves_input_out() const { return leaves_input_out_; }
  const std::string& input() const { return input_; }

  /// The streams of the run whose log is `log`, which is empty then.
  CommandStreams begin(const std::string& log) const;

  /// Completes the log. `show`: what the run printed is printed by this process, either stream on its own.
  static void end(const std::string& log, bool show);

 private:
  std::string input_ = "/dev/null";
  bool leaves_input_out_ = false;
};

/// Where the errors of a run are while it lasts.
std::string errors_beside(const std::string& log);

}  // namespace xsp::launch
