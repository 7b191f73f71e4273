#include "inject/concurrency/running_statistics.h"

#include <iterator>

namespace xsp::guest {
namespace {

/// 0.975 quantiles of Student's t for 1, 2, … degrees of freedom.
constexpr double kQuantiles[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                 2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                 2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

/// Rounded to the larger quantile; beyond the table that of 30 degrees.
double quantile(double degrees) {
  if (degrees < 1) return kQuantiles[0];
  if (degrees >= static_cast<double>(std::size(kQuantiles))) return kQuantiles[std::size(kQuantiles) - 1];
  return kQuantiles[static_cast<uint32_t>(degrees) - 1];
}

/// Whether a difference lies above 0 by more than `t` standard errors; compared as squares, without a root.
bool is_above(double difference, double squared_error, double t) {
  return difference > 0 && difference * difference > t * t * squared_error;
}

}  // namespace

void RunningStatistics::add(double value) {
  ++count;
  const double distance = value - mean;
  mean += distance / count;
  squares += distance * (value - mean);
}

bool rises(const RunningStatistics& before, const RunningStatistics& after) {
  if (before.count < 2 || after.count < 2) return false;
  const double of_before = before.variance() / before.count;
  const double of_after = after.variance() / after.count;
  const double both = of_before + of_after;
  if (both <= 0) return after.mean > before.mean;
  const double degrees =
      both * both / (of_before * of_before / (before.count - 1) + of_after * of_after / (after.count - 1));
  return is_above(after.mean - before.mean, both, quantile(degrees));
}

bool lies_above_zero(const RunningStatistics& differences) {
  if (differences.count < 2) return false;
  return is_above(differences.mean, differences.variance() / differences.count, quantile(differences.count - 1));
}

}  // namespace xsp::guest
