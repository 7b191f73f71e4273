#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace xsp {

/// The one way in which the programs start others.

/// Instead of a descriptor for a child's standard stream.
inline constexpr int kSameStream = -1;  // that of this process
inline constexpr int kNoStream = -2;    // /dev/null

/// A program to be started.
struct ChildPlan {
  std::vector<std::string> command;  // its first word is a path, or a name that PATH leads to
  int input = kSameStream;
  int output = kSameStream;
  int errors = kSameStream;
  /// Descriptors that it inherits under the same numbers, even if they are closed on exec here. It is up to the owners
  /// of all others to mark theirs so.
  std::vector<int> kept = {};
  /// Variables of this process that it does not inherit.
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

/// From a status that waitpid() gave.
ChildEnd child_end(int wait_status);

/// Waits for a child of this process. One that is not there has failed.
ChildEnd wait_for_child(pid_t pid);

/// Forks, and has the child run `body` and end with status 0 if that returns. For a child that is no program of its
/// own, or is held before it becomes one: posix_spawn, which start_child() uses, can do neither. Only where this
/// process has no other threads. -1 with errno where the fork fails.
pid_t fork_child(const std::function<void()>& body);

}  // namespace xsp
