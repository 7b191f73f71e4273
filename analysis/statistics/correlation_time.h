#pragma once

#include <span>

#include "analysis/statistics/statistic.h"

namespace xsp::analysis {

/// How many consecutive values of a run tell as much of `statistic` as one independent value: 1 where they do not
/// resemble each other more than chance would have it, or are too few (less than 16) to tell.
double correlation_time(const Statistic& statistic, std::span<const double> run);

}  // namespace xsp::analysis
