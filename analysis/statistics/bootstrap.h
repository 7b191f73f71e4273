#pragma once

#include <limits>
#include <vector>

#include "analysis/statistics/statistic.h"
#include "analysis/statistics/student.h"

namespace xsp::analysis {

/// The values of one ordinal: one vector for each run, in order of time. A recording by itself is one run.
using RunValues = std::vector<std::vector<double>>;

/// A confidence interval; NaN at both ends where the values do not tell.
struct Interval {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

/// The bootstrap interval of `statistic` over all values, at kConfidence: percentiles of resamples, stretched for few
/// values and for consecutive ones that resemble each other (doc/experiments.md). Of several runs whole runs are
/// resampled, for evaluations of one run resemble each other. Nothing is told of fewer than three values, of a
/// percentile with fewer than that beyond it, and of minimum and maximum, which resampling cannot judge. The same
/// values give the same interval.
Interval bootstrap_interval(const Statistic& statistic, const RunValues& values);

/// The interval of evaluate(b) - evaluate(a), a and b resampled independently.
Interval bootstrap_difference(const Statistic& statistic, const RunValues& a, const RunValues& b);

/// Whether an interval of a difference says that there is one.
inline bool excludes_zero(const Interval& interval) { return interval.low > 0 || interval.high < 0; }

}  // namespace xsp::analysis
