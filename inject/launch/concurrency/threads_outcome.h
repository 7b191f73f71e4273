#pragma once

#include <cstdint>
#include <string>

namespace xsp::launch {

/// What is said at the end of a run that measured numbers of threads, in one line: where to read of it, or that there
/// was nothing to measure. `json`: E2 of its trace, as `xsp-report --format json` prints it; `see`: the command that
/// shows it.
std::string measured_line(const std::string& json, const std::string& see);

/// The same of a run that applied advice: what that gained, as its own turns with and without it show.
std::string applied_line(const std::string& json);

/// The same of a run that had one number of threads from its begin to its end.
std::string whole_run_line(uint32_t threads);

}  // namespace xsp::launch
