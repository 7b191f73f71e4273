#pragma once

#include <cstdint>

namespace xsp::guest {

/// Mean and variance of values that are not kept (Welford, Technometrics 4, 1962).
struct RunningStatistics {
  uint32_t count;
  double mean;
  double squares;  // sum of the squared distances from the mean

  void add(double value);
  double variance() const { return count > 1 ? squares / (count - 1) : 0; }
};

/// Whether the mean of `after` lies above that of `before` by more than noise: the 95 % interval of the difference,
/// after Welch, lies above 0. False with fewer than two values of either.
bool rises(const RunningStatistics& before, const RunningStatistics& after);

/// Whether the mean of differences lies above 0 by more than noise: the same, of paired values.
bool lies_above_zero(const RunningStatistics& differences);

}  // namespace xsp::guest
