#include "analysis/statistics/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics/resamples.h"
#include "analysis/statistics/student.h"

namespace xsp::analysis {
namespace {

constexpr size_t kLeastForInterval = 3;
/// On either side of a percentile. With fewer, the interval is unreliable: with ten values that of p90 holds four times
/// in five.
constexpr double kLeastBeyond = 2.5;

/// Whether resampling can judge the statistic of these values.
bool tells(const Statistic& statistic, const RunValues& values) {
  size_t n = 0;
  for (const std::vector<double>& run : values) n += run.size();
  if (n < kLeastForInterval) return false;
  switch (statistic.kind) {
    case Statistic::Kind::kMin:
    case Statistic::Kind::kMax:
      return false;
    case Statistic::Kind::kPercentile:
      return std::min(statistic.percentile, 100 - statistic.percentile) / 100 * static_cast<double>(n) >= kLeastBeyond;
    default:
      return true;
  }
}

bool are_positive(const RunValues& values) {
  return std::all_of(values.begin(), values.end(), [](const std::vector<double>& run) {
    return std::all_of(run.begin(), run.end(), [](double value) { return value >= 0; });
  });
}

/// Percentiles of the deviations, which have the width of a normal distribution, stretched by how much wider Student's
/// t is. Few runs give few different deviations: then the normal distribution replaces them.
Interval interval_of(Resamples* resamples) {
  const double student = student_quantile(resamples->degrees);
  const double estimate = resamples->estimate;
  if (resamples->few_runs) {
    const double half = student * std::sqrt(resamples->variance);
    return {estimate - half, estimate + half};
  }
  const double stretch = student / kNormalQuantile;
  const double tail = 100 * (1 - kConfidence) / 2;
  const double low = evaluate({Statistic::Kind::kPercentile, tail}, resamples->deviations);
  const double high = evaluate({Statistic::Kind::kPercentile, 100 - tail}, resamples->deviations);
  return {estimate + stretch * low, estimate + stretch * high};
}

/// Of b - a; degrees of freedom by Welch and Satterthwaite.
Resamples difference(const Resamples& a, const Resamples& b) {
  Resamples difference;
  difference.estimate = b.estimate - a.estimate;
  difference.variance = a.variance + b.variance;
  const double squares = a.variance * a.variance / a.degrees + b.variance * b.variance / b.degrees;
  if (squares > 0) difference.degrees = difference.variance * difference.variance / squares;
  difference.few_runs = a.few_runs || b.few_runs;
  difference.deviations.resize(std::max(a.deviations.size(), b.deviations.size()));
  for (size_t i = 0; i < difference.deviations.size(); ++i) {
    difference.deviations[i] = b.deviations[i % b.deviations.size()] - a.deviations[i % a.deviations.size()];
  }
  return difference;
}

/// Of the logarithm: a deviation is relative to the estimate.
Resamples logarithm(Resamples resamples) {
  for (double& deviation : resamples.deviations) deviation /= resamples.estimate;
  resamples.variance /= resamples.estimate * resamples.estimate;
  resamples.estimate = std::log(resamples.estimate);
  return resamples;
}

std::string percent(double share) {
  return std::abs(share) < 0.0995 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

}  // namespace

Interval bootstrap_interval(const Statistic& statistic, const RunValues& values, std::optional<double> estimate) {
  if (!tells(statistic, values)) return {};
  Resamples resamples = resample(statistic, values, 1, estimate);
  Interval interval = interval_of(&resamples);
  if (interval.low < 0 && are_positive(values)) interval.low = 0;
  return interval;
}

Interval bootstrap_difference(const Statistic& statistic, const RunValues& a, const RunValues& b) {
  if (!tells(statistic, a) || !tells(statistic, b)) return {};
  Resamples resamples = difference(resample(statistic, a, 1), resample(statistic, b, 2));
  return interval_of(&resamples);
}

Interval bootstrap_ratio(const Statistic& statistic, const RunValues& a, const RunValues& b) {
  if (!tells(statistic, a) || !tells(statistic, b)) return {};
  const Resamples of_a = resample(statistic, a, 1);
  const Resamples of_b = resample(statistic, b, 2);
  if (!(of_a.estimate > 0) || !(of_b.estimate > 0)) return {};
  Resamples resamples = difference(logarithm(of_a), logarithm(of_b));
  const Interval logarithms = interval_of(&resamples);
  return {std::exp(logarithms.low), std::exp(logarithms.high)};
}

std::string change_text(double factor, const Interval& factors) {
  // For two or three evaluations that differ much the width of the interval is meaningless.
  constexpr double kWidest = 10;
  std::string change = percent(factor - 1);
  if (!is_known(factors)) return change;
  const double half = (factors.high - factors.low) / 2;
  return fmt::format("{} ± {}", change, half > kWidest ? "more than " + percent(kWidest) : percent(half));
}

std::string indistinct_note(std::string_view what, double factor, const Interval& factors, double limit) {
  if (!is_known(factors) || excludes(factors, limit)) return {};
  return fmt::format("{} is {}: not distinguishable from {}", what, change_text(factor, factors), percent(limit - 1));
}

}  // namespace xsp::analysis
