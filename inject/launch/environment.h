#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "options.h"

namespace xsp::launch {

/// The environment of the command, NAME=VALUE: that of xsp-run with the guest library first in LD_PRELOAD, and what the
/// guest reads (XSP_SOCKET, XSP_SCRATCH, XSP_LEVEL, XSP_LIBRARY_CALLS, XSP_ON_FULL, and XSP_ONLY_PID for
/// --no-children), and, where they are not set, the variables by which NVTX, ITT and oneDNN find a tool. Nothing else
/// is changed. `pid`: of the command.
std::vector<std::string> command_environment(const Options& options, const std::string& library,
                                             const std::string& socket, const std::string& scratch, pid_t pid,
                                             const std::string& auditor = {});

}  // namespace xsp::launch
