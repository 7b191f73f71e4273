#pragma once

#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/model_sweeps.h"

namespace xsp::analysis {

/// Where the inputs of an evaluation are not the first dimension of the input: which was taken; empty where they agree.
std::string inputs_note(const Study& study);

/// At which point of the sweeps of one model its throughput is largest, or its latency smallest where the inputs of an
/// evaluation are not known; empty where nothing but the batch size was swept.
std::string best_point_note(const Study& study, const std::vector<ModelSweep>& sweeps);

}  // namespace xsp::analysis
