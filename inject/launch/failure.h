#pragma once

#include <string>

namespace xsp::launch {

/// Exit codes of xsp-run that are not the command's own (the convention of env, timeout and docker).
inline constexpr int kExitOwnFailure = 125;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

/// Why the command was not started: what, what to do (a line each), and, unlike base's Status, the exit code for it.
struct Failure {
  std::string what;
  std::string hint = {};
  int exit_code = kExitOwnFailure;
};

/// Prints `xsp-run: error: …` and `hint: …` on stderr and returns the exit code.
int report_failure(const Failure& failure, const std::string& program = "xsp-run");

/// The same for want of memory, with as little as there is.
int report_out_of_memory();

}  // namespace xsp::launch
