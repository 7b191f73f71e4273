#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsp::launch {

/// `text` with the run's number for every `{run}`, and `{run}` for every `{{run}}`.
std::string with_run_number(const std::string& text, uint32_t number);
std::vector<std::string> with_run_number(const std::vector<std::string>& command, uint32_t number);

/// True if `command` has a place for the number of the run.
bool has_run_number(const std::vector<std::string>& command);

}  // namespace xsp::launch
