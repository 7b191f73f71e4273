#pragma once

#include <string>
#include <vector>

#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/experiment/set_runner.h"

namespace xsp::launch {

/// Why a set was stopped by `result`, with the last lines that its command printed.
std::vector<std::string> stop_message(const RunResult& result, bool show_log);

/// What a set has measured, for the message at its end.
struct MeasuredSet {
  std::string folder;
  std::string report;                ///< path of xsp-report; may be empty
  std::vector<PlannedRun> measured;  ///< runs that ended well
  double seconds = 0;                ///< of all
  Summary summary = Summary::kAuto;
};

/// At most 15 lines: what each level costs and the numbers that matter, where the traces are, and what to do with them.
std::vector<std::string> set_end_message(const MeasuredSet& set);

}  // namespace xsp::launch
