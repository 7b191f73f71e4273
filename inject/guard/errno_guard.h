#pragma once

#include <cerrno>

namespace xsp::guest {

/// Restores the program's errno: our bookkeeping runs between the program's call and its check of errno.
class ErrnoGuard {
 public:
  ErrnoGuard() : saved_(errno) {}
  ~ErrnoGuard() { errno = saved_; }
  ErrnoGuard(const ErrnoGuard&) = delete;
  ErrnoGuard& operator=(const ErrnoGuard&) = delete;

 private:
  int saved_;
};

}  // namespace xsp::guest
