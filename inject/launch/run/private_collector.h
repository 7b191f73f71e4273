#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/owned_fd.h"
#include "base/status.h"
#include "inject/launch/run/collector_status.h"
#include "inject/launch/run/signal_inbox.h"

namespace xsp::launch {

/// An xsp-collector for one command: it is handed listening sockets and writes one trace. It runs in a session of its
/// own, so that ^C and a closed terminal end the program and not the trace, and it finishes when its control pipe
/// closes: when the command ended, or when xsp-run was killed.
class PrivateCollector {
 public:
  struct Plan {
    std::string program;
    std::string output;
    bool force = false;
    std::string folder;  ///< of the run: removed by the collector where xsp-run has died
    std::string scratch;
    std::string log;  ///< its stderr
    std::string level;
    std::vector<std::string> command;
    bool counted = false;
    std::string run = {};                  ///< which run of a set, as JSON for --run-json; empty: not part of a set
    std::vector<std::string> limits = {};  ///< --continuous, --max-size and the like
  };

  PrivateCollector() = default;
  PrivateCollector(const PrivateCollector&) = delete;
  PrivateCollector& operator=(const PrivateCollector&) = delete;
  ~PrivateCollector();

  /// Returns when it is ready to take connections, or why it cannot be.
  /// `second_listener` may be none.
  Status start(const Plan& plan, OwnedFd listener, OwnedFd second_listener);

  enum class End {
    kFinished,    ///< status() holds what it said
    kDied,        ///< it ended without a word
    kBackground,  ///< the user did not want to wait: it goes on alone
  };

  /// Lets it finish and waits for its last word; a signal to xsp-run ends the waiting, not the collector.
  End finish(SignalInbox* signals);

  const CollectorStatus& status() const { return status_; }

  /// After kDied: "killed by signal 9", "exit status 1", with the last line that it printed.
  const std::string& how_it_died() const { return how_it_died_; }

 private:
  /// Next line of the status pipe; nothing at its end, after `timeout_ms` (-1: none), or when `signals` brings a reason
  /// to stop waiting.
  std::optional<std::string> next_line(int timeout_ms, SignalInbox* signals);

  pid_t pid_ = -1;
  std::string log_;
  OwnedFd control_;
  OwnedFd status_pipe_;
  std::string unread_;
  bool interrupted_ = false;
  CollectorStatus status_;
  std::string how_it_died_;
};

}  // namespace xsp::launch
