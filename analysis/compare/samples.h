#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/statistics/bootstrap.h"
#include "analysis/study/study.h"

namespace xsp::analysis {

/// The values behind the tables' numbers, in ns, one per evaluation, run by run; they tell whether a difference is due
/// to chance. None with --per trace, where nothing repeats. Those of A1 are latencies_by_run.

/// By row of A2. NaN where an evaluation does not have the layer.
std::vector<RunValues> layer_samples(const Study& study);

/// By index in Study::kernels, likewise.
std::vector<RunValues> kernel_samples(const Study& study);

/// Sums some of `samples`, evaluation by evaluation; NaN where an evaluation has none of them.
RunValues sum_of(const std::vector<RunValues>& samples, std::span<const uint32_t> which);

/// Only the values that are known.
RunValues known_of(RunValues values);

}  // namespace xsp::analysis
