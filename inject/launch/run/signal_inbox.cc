#include "inject/launch/run/signal_inbox.h"

#include <sys/resource.h>
#include <unistd.h>

namespace xsp::launch {

SignalInbox::SignalInbox() {
  // An inherited "ignore" of SIGCHLD would make the kernel throw the command's status away.
  struct sigaction default_action = {};
  default_action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &default_action, &original_child_action_);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &original_pipe_action_);
  sigaction(SIGXFSZ, &ignore, &original_size_action_);
  // Blocked and read from a descriptor, not handled: poll() waits for them beside pipes, and each tells who sent it.
  sigset_t taken;
  sigemptyset(&taken);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&taken, signal);
  sigprocmask(SIG_BLOCK, &taken, &original_mask_);
  fd_.reset(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::optional<signalfd_siginfo> SignalInbox::take() {
  signalfd_siginfo signal = {};
  if (read(fd_.get(), &signal, sizeof(signal)) != sizeof(signal)) return std::nullopt;
  const int number = static_cast<int>(signal.ssi_signo);
  const bool ends = number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
  if (ends && asked_to_end_ == 0) asked_to_end_ = number;
  return signal;
}

void SignalInbox::restore_in_child() const {
  sigaction(SIGCHLD, &original_child_action_, nullptr);
  sigaction(SIGPIPE, &original_pipe_action_, nullptr);
  sigaction(SIGXFSZ, &original_size_action_, nullptr);
  sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

bool is_for_command(const signalfd_siginfo& signal) {
  if (signal.ssi_signo == SIGCHLD) return false;
  const bool sent_by_process = signal.ssi_code <= 0;
  return sent_by_process || (signal.ssi_signo == SIGHUP && getsid(0) == getpid());
}

void die_by_signal(int signal) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  struct sigaction default_action = {};
  default_action.sa_handler = SIG_DFL;
  sigaction(signal, &default_action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  kill(getpid(), signal);
}

}  // namespace xsp::launch
