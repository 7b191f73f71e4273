#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/child_process.h"
#include "base/owned_fd.h"
#include "base/status.h"
#include "inject/launch/run/command_watch.h"
#include "inject/launch/run/signal_inbox.h"

namespace xsp::launch {

using Ending = ChildEnd;

/// `ended with exit status 3`, `was killed by signal 9 (Killed)`.
std::string how_it_ended(const Ending& ending);

/// As CommandStreams::input: the file that is the standard input of xsp-run, for the command alone.
inline constexpr const char* kOwnInput = "/proc/self/fd/0";

/// Files that replace the standard streams of xsp-run; empty: its own. Output and errors are appended.
struct CommandStreams {
  std::string input;
  std::string output;
  std::string errors;
};

/// The profiled command. It is forked first and held before its exec, because the trace's name may hold its pid, and
/// the collector must be ready before it runs.
class CommandProcess {
 public:
  CommandProcess() = default;
  CommandProcess(const CommandProcess&) = delete;
  CommandProcess& operator=(const CommandProcess&) = delete;
  /// A held command that was never released ends without having run.
  ~CommandProcess();

  /// `environment_of`: gives the environment (NAME=VALUE) for the pid of the command.
  Status fork_held(const std::vector<std::string>& command,
                   const std::function<std::vector<std::string>(pid_t)>& environment_of, const SignalInbox& signals,
                   const CommandStreams& streams = {});

  /// Lets it exec; returns when it did, or why it could not.
  Status release();

  /// Waits for the end, passing on the signals that processes send to xsp-run.
  /// `watch`, where it is given, looks at its processes meanwhile.
  Ending wait(SignalInbox* signals, CommandWatch* watch = nullptr);

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  std::string name_;
  OwnedFd go_;          ///< a byte lets the command run; its closing without one ends it
  OwnedFd exec_error_;  ///< errno of a failed exec; closed by a successful one
};

}  // namespace xsp::launch
