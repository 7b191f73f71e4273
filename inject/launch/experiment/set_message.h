#pragma once

#include <string>
#include <vector>

#include "inject/launch/experiment/planned_run.h"
#include "inject/launch/experiment/set_runner.h"

namespace xsp::launch {

/// Why a set was stopped by `result`, with the last lines that its command printed.
std::vector<std::string> stop_message(const RunResult& result, bool show_log);

/// The lines for the user at the end of a set: how many runs of what were measured, in how many seconds, where they
/// are, and what can be done with them.
std::vector<std::string> set_end_message(const std::string& folder, const std::string& report,
                                         const std::vector<PlannedRun>& measured, double seconds);

}  // namespace xsp::launch
