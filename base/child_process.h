#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace xsp {

/// The one way in which the programs start others.

/// In place of a descriptor of a child's standard stream.
inline constexpr int kSameStream = -1;  // that of this process
inline constexpr int kNoStream = -2;    // /dev/null

/// A program to be started.
struct ChildPlan {
  std::vector<std::string> command;  // its first word is a path, or a name that PATH leads to
  int input = kSameStream;
  int output = kSameStream;
  int errors = kSameStream;
  /// Descriptors that it has under the same numbers, closed on exec as they may be here. All others are for their
  /// owners to mark so.
  std::vector<int> kept = {};
  /// Variables of this process that it does not have.
  std::vector<std::string> unset = {};
  /// Out of reach of ^C and of a closed terminal.
  bool own_session = false;
};

/// Starts the program with no signal blocked and SIGPIPE as a program expects it, whatever this process has. Returns
/// its pid, or -1 with errno: also where it cannot be run.
pid_t start_child(const ChildPlan& plan);

/// How a child ended.
struct ChildEnd {
  bool by_signal = false;
  int code = 0;  // exit status, or the signal

  bool succeeded() const { return !by_signal && code == 0; }
};

/// Of a status that waitpid() gave.
ChildEnd child_end(int wait_status);

/// Waits for a child of this process. One that is not there has failed.
ChildEnd wait_for_child(pid_t pid);

/// Forks, and has the child run `body` and end with status 0 if that returns. For what is no program of its own, or is
/// held before it becomes one: posix_spawn, which start_child() goes by, can do neither. Only where this process has no
/// other threads. -1 with errno where there is no process to be had.
pid_t fork_child(const std::function<void()>& body);

}  // namespace xsp
