#pragma once

#include <pthread.h>
#include <signal.h>

#include <initializer_list>

namespace xsp::guest {

/// Holds off the program's signal handlers on this thread while it has one of our locks: a handler that records would
/// wait for it forever. Signals that an instruction of the thread itself raises are let through, as nothing could be
/// done about them later.
class SignalGuard {
 public:
  SignalGuard() {
    sigset_t held;
    sigfillset(&held);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&held, own);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalGuard() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  sigset_t before_;
};

}  // namespace xsp::guest
