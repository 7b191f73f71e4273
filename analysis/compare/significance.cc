#include "analysis/compare/significance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "analysis/compare/samples.h"

namespace xsp::analysis {
namespace {

/// What can vary on its own: runs, or the evaluations of the only one.
size_t independent_values(const RunValues& values) {
  const auto runs = std::count_if(values.begin(), values.end(), [](const auto& run) { return !run.empty(); });
  return runs > 1 ? static_cast<size_t>(runs) : count_of(values);
}

/// Where two_sided_tail is 1 - kConfidence.
double quantile(size_t degrees) {
  static constexpr int kHalvings = 60;
  double low = 0;
  double high = 1e3;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (two_sided_tail(middle, degrees) > 1 - kConfidence ? low : high) = middle;
  }
  return high;
}

/// How often chance gives a difference at least as large, read off the interval: its half towards 0 is Student's
/// quantile of standard errors.
double probability(double difference, const Interval& interval, size_t degrees, double quantile) {
  if (difference == 0) return 1;
  const double half = difference > 0 ? difference - interval.low : interval.high - difference;
  if (!(half > 0)) return 0;
  return two_sided_tail(std::fabs(difference) / half * quantile, degrees);
}

}  // namespace

double two_sided_tail(double t, size_t degrees) {
  constexpr size_t kNearlyNormal = 1000;
  if (degrees >= kNearlyNormal) return std::erfc(std::fabs(t) / std::numbers::sqrt2);
  // Abramowitz and Stegun, 26.7.3 and 26.7.4.
  const double angle = std::atan(std::fabs(t) / std::sqrt(static_cast<double>(degrees)));
  const double squared = std::cos(angle) * std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? std::cos(angle) : 1;
  double sum = degrees == 1 ? 0 : term;
  for (size_t k = odd ? 3 : 2; k + 1 < degrees; k += 2) {
    term *= squared * static_cast<double>(k - 1) / static_cast<double>(k);
    sum += term;
  }
  const double within = odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return std::clamp(1 - within, 0.0, 1.0);
}

std::vector<Judgement> judge(const Statistic& statistic, const std::vector<Compared>& rows) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (order.size() > kMostJudged) {
    std::nth_element(order.begin(), order.begin() + kMostJudged, order.end(),
                     [&](size_t a, size_t b) { return std::fabs(rows[a].difference) > std::fabs(rows[b].difference); });
    order.resize(kMostJudged);
  }
  std::vector<Judgement> judgements(rows.size());
  std::vector<std::pair<double, size_t>> probabilities;
  std::map<size_t, double> quantiles;
  for (const size_t i : order) {
    const Compared& row = rows[i];
    if (row.base.empty() || row.fresh.empty()) continue;
    Interval interval = bootstrap_difference(statistic, row.base, row.fresh);
    if (!is_known(interval)) continue;
    // A row may be a sum of statistics, its samples sums: the interval goes where the row's difference is.
    const auto value = [&](const RunValues& runs) {
      std::vector<double> all;
      for (const auto& run : runs) all.insert(all.end(), run.begin(), run.end());
      return evaluate(statistic, all);
    };
    const double shift = row.difference - (value(row.fresh) - value(row.base));
    interval = {interval.low + shift, interval.high + shift};
    judgements[i].interval = interval;
    const size_t degrees = std::max<size_t>(independent_values(row.base) + independent_values(row.fresh), 3) - 2;
    const auto [found, added] = quantiles.try_emplace(degrees);
    if (added) found->second = quantile(degrees);
    probabilities.emplace_back(probability(row.difference, interval, degrees, found->second), i);
  }
  std::sort(probabilities.begin(), probabilities.end());
  const auto count = static_cast<double>(probabilities.size() + (rows.size() - order.size()));
  size_t significant = probabilities.size();
  while (significant > 0 &&
         probabilities[significant - 1].first > kFalseDiscoveryRate * static_cast<double>(significant) / count) {
    --significant;
  }
  for (size_t i = 0; i < probabilities.size(); ++i) {
    Judgement& judgement = judgements[probabilities[i].second];
    judgement.significant = i < significant && excludes_zero(judgement.interval);
  }
  return judgements;
}

}  // namespace xsp::analysis
