#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "analysis/work/execution_plan.h"

namespace xsp::bound {

/// The settings of an engine of cuDNN as number of the knob and choice, ascending.
using EngineKnobs = std::vector<std::pair<int64_t, int64_t>>;

/// Of a plan that ran, which has knobs by name. Empty where it has none, or one that is not known.
EngineKnobs knobs_of_plan(const analysis::ExecutionPlan& plan);

/// Of the name of a benchmark, which has them by number: "sum: engine 35 knobs 4=2,13=1".
EngineKnobs knobs_of_name(std::string_view implementation);

}  // namespace xsp::bound
