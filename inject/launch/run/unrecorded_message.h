#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inject/launch/run/trace_outcome.h"
#include "inject/launch/run/unrecordable_program.h"

namespace xsp::launch {

/// Lines for the end message about processes that told the collector, or were told by it, that they are not recorded.
std::vector<std::string> unrecorded_lines(const CollectorStatus& status);

/// Lines for the end message of a run without spans: why, as far as that is known, and what to do. `command`: why the
/// command itself cannot be recorded, however short it lived; none: it can.
std::vector<std::string> no_spans_lines(const TraceOutcome& outcome, const std::optional<UnrecordableProgram>& command);

}  // namespace xsp::launch
