#pragma once

#include <optional>
#include <span>

#include "analysis/statistics/bootstrap.h"

namespace xsp::analysis {

/// A straight line through values over positions, and whether there is one.
struct Trend {
  double slope = 0;             // Theil and Sen: the median slope of all pairs
  Interval slopes;              // Sen's interval at kConfidence, from the order of the pairs' slopes
  double intercept = 0;         // the median of value - slope · position
  double p_value = 1;           // two-sided, of Mann and Kendall's test
  double correlation_time = 1;  // of the residuals; the variance of the test is multiplied by it

  double at(double position) const { return intercept + slope * position; }
};

/// The trend of at least kLeastForTrend values at ascending positions; nothing of fewer. A few values of any size do
/// not move it (up to 29 %). Of more than 500 values the medians of equally many consecutive ones stand for them: the
/// cost is linear in the values.
inline constexpr size_t kLeastForTrend = 8;
std::optional<Trend> trend_of(std::span<const double> positions, std::span<const double> values);

}  // namespace xsp::analysis
