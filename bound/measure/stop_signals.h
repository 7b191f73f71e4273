#pragma once

#include <csignal>

#include "base/owned_fd.h"

namespace xsp::bound {

/// While it exists, SIGINT and SIGTERM do not end this thread's process but can be read. One that the process ignores
/// stays ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Can be read from when a signal has come; -1: none can come.
  int descriptor() const { return file_.get(); }
  /// The signal that has come; 0: none.
  int caught();

 private:
  sigset_t before_{};
  OwnedFd file_;
  int caught_ = 0;
};

}  // namespace xsp::bound
