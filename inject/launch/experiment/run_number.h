#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inject/launch/experiment/run_plan.h"

namespace xsp::launch {

/// `text` with every `{run}` replaced by the run's number, and every `{{run}}` by `{run}`.
std::string with_run_number(const std::string& text, uint32_t number);
std::vector<std::string> with_run_number(const std::vector<std::string>& command, uint32_t number);

/// True if `command` has a place for the number of the run.
bool has_run_number(const std::vector<std::string>& command);

/// `text` with every parameter's name in braces replaced by its value. Values are not expanded again, not even by a
/// later with_run_number.
std::string with_parameters(const std::string& text, const Parameters& parameters);

}  // namespace xsp::launch
