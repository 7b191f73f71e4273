#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inject/bench/sweep_parameter.h"

namespace xsp::bench {

/// The command with the value of each parameter for its name in braces. As in hyperfine a value is not looked through
/// again, and there is no escape: other braces stay as they are.
std::vector<std::string> filled_in(const std::vector<std::string>& command, const launch::Parameters& point);

/// Names in braces, letter by letter like the name of a parameter, that are none of `parameters`.
std::vector<std::string> unknown_names(const std::vector<std::string>& command,
                                       const std::vector<SweepParameter>& parameters);

/// Every parameter is somewhere in the command: otherwise all points would be the same.
Status check_use(const std::vector<std::string>& command, const std::vector<SweepParameter>& parameters);

}  // namespace xsp::bench
