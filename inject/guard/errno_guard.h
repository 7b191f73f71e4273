#pragma once

#include <cerrno>

namespace xsp::guest {

/// Gives the program its errno back: our bookkeeping happens between its call and its look at errno.
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
