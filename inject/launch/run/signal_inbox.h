#pragma once

#include <sys/signalfd.h>
#include <csignal>

#include <optional>

#include "base/owned_fd.h"

namespace xsp::launch {

/// Signals as data. From construction on, the signals that xsp-run passes on (INT, TERM, HUP, QUIT, USR1, USR2) and
/// SIGCHLD are blocked and read from `fd()`. SIGTSTP and SIGCONT keep their default: the terminal sends them to the
/// whole process group, so xsp-run stops and goes on with its command as job control expects. SIGPIPE and SIGXFSZ
/// are ignored: a reader of stderr that went away, or a log at the limit of file sizes, must not replace the command's
/// status.
class SignalInbox {
 public:
  SignalInbox();
  SignalInbox(const SignalInbox&) = delete;
  SignalInbox& operator=(const SignalInbox&) = delete;

  int fd() const { return fd_.get(); }

  /// The next signal, if one waits.
  std::optional<signalfd_siginfo> take();

  /// The first signal taken so far that asks a program to end (INT, TERM, HUP, QUIT), from whoever; 0: none.
  int asked_to_end() const { return asked_to_end_; }

  /// For a forked child before exec: restores the signal settings that xsp-run was given.
  void restore_in_child() const;

 private:
  OwnedFd fd_;
  int asked_to_end_ = 0;
  sigset_t original_mask_ = {};
  struct sigaction original_child_action_ = {};
  struct sigaction original_pipe_action_ = {};
  struct sigaction original_size_action_ = {};
};

/// True if the command should get this signal from us. Not for a key on the terminal: the kernel sends that to the
/// whole process group, so the command has it already. But a terminal's hang-up is told to the leader of the session
/// alone.
bool is_for_command(const signalfd_siginfo& signal);

/// Ends xsp-run by `signal`, as its command ended. A second core dump beside the command's own is not written.
void die_by_signal(int signal);

}  // namespace xsp::launch
