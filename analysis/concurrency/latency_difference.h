#pragma once

#include <cstddef>

#include "analysis/statistics/bootstrap.h"
#include "analysis/statistics/statistic.h"

namespace xsp::analysis {

/// The interval of evaluate(b) - evaluate(a) at kConfidence; NaN at both ends where the values do not tell. Trimmed
/// means of two single runs are judged by Yuen's test (trimmed_difference.h), which one outlying value on a side does
/// not sway; other statistics and several runs by the bootstrap.
Interval latency_difference(const Statistic& statistic, const RunValues& a, const RunValues& b);

/// The same of a difference that was chosen because it is the largest of several, to which chance adds: as much wider
/// as the normal distribution's quantile is for so many comparisons than for one (Bonferroni).
Interval widened(const Interval& interval, double difference, size_t comparisons);

}  // namespace xsp::analysis
