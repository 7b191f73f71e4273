#include "bound/measure/stop_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace xsp::bound {

StopSignals::StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    // A blocked signal would be kept even where it is ignored.
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  file_ = above_standard_streams(OwnedFd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)));
  if (!file_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

StopSignals::~StopSignals() {
  if (file_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int StopSignals::caught() {
  signalfd_siginfo signal{};
  if (caught_ == 0 && file_ && read(file_.get(), &signal, sizeof signal) == sizeof signal) {
    caught_ = static_cast<int>(signal.ssi_signo);
  }
  return caught_;
}

}  // namespace xsp::bound
