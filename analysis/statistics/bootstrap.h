#pragma once

#include <limits>
#include <span>
#include <vector>

#include "analysis/statistics/statistic.h"

namespace xsp::analysis {

/// The values of one ordinal: one vector for each run, in order of time. A recording by itself is one run.
using RunValues = std::vector<std::vector<double>>;

/// A confidence interval; NaN at both ends where the values do not tell.
struct Interval {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

inline constexpr double kConfidence = 0.95;

/// The percentile bootstrap interval of `statistic` over all values. Several runs are resampled as runs first and
/// evaluations within them second, for evaluations of one run resemble each other. Nothing is told of fewer than
/// three values, and of minimum and maximum, which resampling cannot judge. The same values give the same interval.
Interval bootstrap_interval(const Statistic& statistic, const RunValues& values);

/// The interval of evaluate(b) - evaluate(a), a and b resampled independently.
Interval bootstrap_difference(const Statistic& statistic, const RunValues& a, const RunValues& b);

/// Whether an interval of a difference says that there is one.
inline bool excludes_zero(const Interval& interval) { return interval.low > 0 || interval.high < 0; }

}  // namespace xsp::analysis
