#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/statistics/statistic.h"
#include "analysis/statistics/student.h"

namespace xsp::analysis {

/// The values of one ordinal: one vector for each run, in order of time. A recording by itself is one run.
using RunValues = std::vector<std::vector<double>>;

/// How many values there are.
inline size_t count_of(const RunValues& values) {
  size_t count = 0;
  for (const auto& run : values) count += run.size();
  return count;
}

/// A confidence interval; NaN at both ends where the values do not tell.
struct Interval {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

/// The bootstrap interval of `statistic` over all values, at kConfidence: percentiles of resamples, stretched for few
/// values and for consecutive ones that resemble each other (doc/experiments.md). Of several runs whole runs are
/// resampled, for evaluations of one run resemble each other. Nothing is told of fewer than three values, of a
/// percentile with fewer than that beyond it, and of minimum and maximum, which resampling cannot judge. Of values that
/// are none of them negative it does not reach below 0. The same values give the same interval. `estimate`: the
/// statistic of all values, where it is known already.
Interval bootstrap_interval(const Statistic& statistic, const RunValues& values, std::optional<double> estimate = {});

/// The interval of evaluate(b) - evaluate(a), a and b resampled independently.
Interval bootstrap_difference(const Statistic& statistic, const RunValues& a, const RunValues& b);

/// The interval of evaluate(b) / evaluate(a), for positive values.
Interval bootstrap_ratio(const Statistic& statistic, const RunValues& a, const RunValues& b);

inline bool excludes(const Interval& interval, double value) { return interval.low > value || interval.high < value; }

/// Whether an interval of a difference says that there is one.
inline bool excludes_zero(const Interval& interval) { return excludes(interval, 0); }

inline bool is_known(const Interval& interval) { return std::isfinite(interval.low) && std::isfinite(interval.high); }

/// A change by a factor for a reader, with half the width of its interval: "6 % ± 9 %", "6 %" where that is unknown.
std::string change_text(double factor, const Interval& factors);

/// A warning that a difference is lost in the spread: "the rise is 6 % ± 9 %: not distinguishable from 5 %" of
/// `what` "the rise", factor 1.06 and limit 1.05. Empty where the interval leaves the limit out.
std::string indistinct_note(std::string_view what, double factor, const Interval& factors, double limit);

}  // namespace xsp::analysis
