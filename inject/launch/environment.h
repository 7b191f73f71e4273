#pragma once

#include <string>
#include <vector>

#include "options.h"

namespace xsp::launch {

/// The environment of the command, NAME=VALUE: that of xsp-run with the guest library first in LD_PRELOAD, and what the
/// guest reads (XSP_SOCKET, XSP_SCRATCH, XSP_LEVEL, XSP_NO_CHILDREN, XSP_ON_FULL). Nothing else is changed.
std::vector<std::string> command_environment(const Options& options, const std::string& library,
                                             const std::string& socket, const std::string& scratch);

/// The deepest level that this version records for a wanted one.
std::string recorded_level(const std::string& wanted);

}  // namespace xsp::launch
