#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/statistics/bootstrap.h"
#include "analysis/statistics/statistic.h"

namespace xsp::analysis {

/// How far a statistic goes from its estimate when the values are drawn again.
struct Resamples {
  double estimate = 0;
  std::vector<double> deviations;  // scaled to the number of values and how much they resemble each other
  double variance = 0;             // of the statistic
  double degrees = 1;              // of freedom of this variance
  bool few_runs = false;           // too few different resamples for their percentiles
};

/// Equal streams draw the same. At least two values are needed. `estimate`: where it is known already.
Resamples resample(const Statistic& statistic, const RunValues& values, uint64_t stream,
                   std::optional<double> estimate = {});

}  // namespace xsp::analysis
