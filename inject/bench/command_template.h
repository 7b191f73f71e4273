#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inject/bench/sweep_parameter.h"

namespace xsp::bench {

/// The command with each parameter's name in braces replaced by its value. As in hyperfine, values are not expanded
/// again, and there is no escape: other braces stay as they are.
std::vector<std::string> filled_in(const std::vector<std::string>& command, const launch::Parameters& point);

/// Names in braces that are spelled like a parameter's name but are none of `parameters`.
std::vector<std::string> unknown_names(const std::vector<std::string>& command,
                                       const std::vector<SweepParameter>& parameters);

/// Checks that every parameter is used in the command: otherwise all points would be the same.
Status check_use(const std::vector<std::string>& command, const std::vector<SweepParameter>& parameters);

}  // namespace xsp::bench
