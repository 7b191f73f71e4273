#include "analysis/statistics/correlation_time.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace xsp::analysis {
namespace {

constexpr size_t kLeastForCorrelation = 16;
/// Standard deviations of the ratio of variances that chance is given.
constexpr double kChance = 1.5;
/// Quantiles of every k-th value do where there are many.
constexpr size_t kMostForQuantiles = 1000;

double variance(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / (n - 1);
}

std::vector<double> every_kth(std::span<const double> run) {
  const size_t k = run.size() / kMostForQuantiles + 1;
  std::vector<double> values;
  for (size_t i = 0; i < run.size(); i += k) values.push_back(run[i]);
  return values;
}

/// What each value contributes to the statistic, up to a factor (its influence function): the statistic varies as the
/// mean of these does.
std::vector<double> influences(const Statistic& statistic, std::span<const double> run) {
  std::vector<double> values(run.begin(), run.end());
  if (statistic.kind == Statistic::Kind::kMean) return values;
  std::vector<double> some = every_kth(run);
  if (statistic.kind == Statistic::Kind::kTrimmedMean) {
    const double low = evaluate({Statistic::Kind::kPercentile, 20}, some);
    const double high = evaluate({Statistic::Kind::kPercentile, 80}, some);
    for (double& value : values) value = std::clamp(value, low, high);
  } else {
    const double quantile = evaluate(statistic, some);
    for (double& value : values) value = value > quantile ? 1 : 0;
  }
  return values;
}

}  // namespace

double correlation_time(const Statistic& statistic, std::span<const double> run) {
  if (run.size() < kLeastForCorrelation) return 1;
  const std::vector<double> values = influences(statistic, run);
  const double single = variance(values);
  if (single == 0) return 1;
  const auto length = static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(run.size()))));
  std::vector<double> batches;
  for (size_t begin = 0; begin + length <= values.size(); begin += length) {
    const auto at = values.begin() + static_cast<ptrdiff_t>(begin);
    batches.push_back(std::accumulate(at, at + static_cast<ptrdiff_t>(length), 0.0) / static_cast<double>(length));
  }
  const double time = variance(batches) * static_cast<double>(length) / single;
  const double chance = kChance * std::sqrt(2 / static_cast<double>(batches.size() - 1));
  return time > 1 + chance ? time : 1;
}

}  // namespace xsp::analysis
