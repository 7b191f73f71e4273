#include "analysis/concurrency/latency_difference.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "analysis/statistics/student.h"
#include "analysis/statistics/trimmed_difference.h"

namespace xsp::analysis {
namespace {

/// Values are whole nanoseconds.
constexpr double kResolutionNs = 1;

/// The values of the only run there is; null of several, and of none.
const std::vector<double>* single_run(const RunValues& values) {
  const std::vector<double>* single = nullptr;
  for (const std::vector<double>& run : values) {
    if (run.empty()) continue;
    if (single != nullptr) return nullptr;
    single = &run;
  }
  return single;
}

double statistic_of(const Statistic& statistic, std::vector<double> values) { return evaluate(statistic, values); }

/// The value that a normal variable exceeds with this chance, for chances below one half.
double normal_quantile(double tail) {
  constexpr int kHalvings = 60;
  double low = 0;
  double high = 40;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace

Interval latency_difference(const Statistic& statistic, const RunValues& a, const RunValues& b) {
  const std::vector<double>* const first = single_run(a);
  const std::vector<double>* const second = single_run(b);
  if (statistic.kind != Statistic::Kind::kTrimmedMean || first == nullptr || second == nullptr) {
    return bootstrap_difference(statistic, a, b);
  }
  const auto trimmed = trimmed_difference(*first, *second, kResolutionNs);
  if (!trimmed) return bootstrap_difference(statistic, a, b);
  const double half = student_quantile(static_cast<double>(trimmed->degrees)) * trimmed->standard_error;
  // The test leaves out more values than the statistic where there are few: the interval holds both estimates.
  const double shown = statistic_of(statistic, *second) - statistic_of(statistic, *first);
  Interval interval = {std::min(trimmed->estimate - half, shown), std::max(trimmed->estimate + half, shown)};
  if (trimmed->exact > 1 - kConfidence) {
    interval = {std::min(interval.low, 0.0), std::max(interval.high, 0.0)};
  }
  return interval;
}

Interval widened(const Interval& interval, double difference, size_t comparisons) {
  if (comparisons < 2 || !is_known(interval)) return interval;
  const double tail = (1 - kConfidence) / 2 / static_cast<double>(comparisons);
  const double stretch = normal_quantile(tail) / kNormalQuantile;
  return {difference - stretch * (difference - interval.low), difference + stretch * (interval.high - difference)};
}

}  // namespace xsp::analysis
