#pragma once

#include <string>

#include "base/status.h"

namespace xsp::launch {

/// Exit codes of xsp-run that are not the command's own (the convention of env, timeout and docker).
inline constexpr int kExitOwnFailure = 125;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

/// The exit code for a failure: its own, else kExitOwnFailure.
int exit_code_of(const Status& failure);

/// Prints `xsp-run: error: …` and `hint: …` on stderr and returns the exit code.
int report_failure(const Status& failure, const std::string& program = "xsp-run");

/// The same where memory has run out: it allocates nothing itself.
int report_out_of_memory();

}  // namespace xsp::launch
