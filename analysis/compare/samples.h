#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/statistics/bootstrap.h"
#include "analysis/study/study.h"

namespace xsp::analysis {

/// The values behind the numbers of tables, in ns, one for each evaluation and run by run: what tells whether a
/// difference is one by chance. Nothing with --per trace, where nothing is repeated. Those of A1 are latencies_by_run.

/// By row of A2. NaN where an evaluation does not have the layer.
std::vector<RunValues> layer_samples(const Study& study);

/// By index in Study::kernels, likewise.
std::vector<RunValues> kernel_samples(const Study& study);

/// Sums some of `samples`, evaluation by evaluation; NaN where an evaluation has none of them.
RunValues sum_of(const std::vector<RunValues>& samples, std::span<const uint32_t> which);

/// Only what is known.
RunValues known_of(RunValues values);

}  // namespace xsp::analysis
