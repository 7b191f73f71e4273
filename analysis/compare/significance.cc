#include "analysis/compare/significance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "analysis/compare/samples.h"
#include "analysis/statistics/trimmed_difference.h"

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

/// The evaluations of the only run there is; nothing of several.
const std::vector<double>* only_run(const RunValues& values) {
  const std::vector<double>* only = nullptr;
  for (const std::vector<double>& run : values) {
    if (run.empty()) continue;
    if (only != nullptr) return nullptr;
    only = &run;
  }
  return only;
}

/// The clock step that all these values are multiples of, in ns, at most that of the coarsest clock in use, a
/// microsecond. 0 if they are not whole numbers.
double resolution_of(const std::vector<Compared>& rows) {
  constexpr int64_t kCoarsest = 1000;
  int64_t step = 0;
  for (const Compared& row : rows) {
    for (const RunValues* side : {&row.base, &row.fresh}) {
      for (const std::vector<double>& run : *side) {
        for (const double value : run) {
          if (value != std::floor(value) || std::fabs(value) > 1e18) return 0;
          step = std::gcd(step, static_cast<int64_t>(value));
          if (step == 1) return 1;
        }
      }
    }
  }
  return static_cast<double>(std::min(step, kCoarsest));
}

/// What is known of one row by itself.
struct RowTest {
  Interval interval;
  double probability = 1;  // of a difference at least as large by chance
};

/// Judges rows one by one.
class RowTests {
 public:
  RowTests(const Statistic& statistic, double resolution) : statistic_(statistic), resolution_(resolution) {}

  RowTest test(const Compared& row) {
    const auto value = [&](const RunValues& runs) {
      std::vector<double> all;
      for (const auto& run : runs) all.insert(all.end(), run.begin(), run.end());
      return evaluate(statistic_, all);
    };
    // A row may be a sum of statistics while its samples are sums: shifts the interval to the row's difference.
    const double own = value(row.fresh) - value(row.base);
    const double shift = row.difference - own;
    const std::vector<double>* base = only_run(row.base);
    const std::vector<double>* fresh = only_run(row.fresh);
    if (statistic_.kind == Statistic::Kind::kTrimmedMean && base != nullptr && fresh != nullptr) {
      if (const auto trimmed = trimmed_difference(*base, *fresh, resolution_)) return by_trimmed(*trimmed, own, shift);
    }
    return by_bootstrap(row, shift);
  }

 private:
  RowTest by_trimmed(const TrimmedDifference& trimmed, double own, double shift) {
    const double half = quantile_of(trimmed.degrees) * trimmed.standard_error;
    RowTest test;
    // Of four values the statistic leaves none out and the test two: the interval covers the estimates of both.
    test.interval = {std::min(trimmed.estimate - half, own) + shift, std::max(trimmed.estimate + half, own) + shift};
    const double difference = std::fabs(trimmed.estimate + shift);
    if (difference == 0) return test;
    test.probability =
        trimmed.standard_error > 0 ? two_sided_tail(difference / trimmed.standard_error, trimmed.degrees) : 0;
    test.probability = std::max(test.probability, trimmed.exact);
    return test;
  }

  RowTest by_bootstrap(const Compared& row, double shift) {
    RowTest test;
    test.interval = bootstrap_difference(statistic_, row.base, row.fresh);
    if (!is_known(test.interval)) return test;
    test.interval = {test.interval.low + shift, test.interval.high + shift};
    const size_t degrees = std::max<size_t>(independent_values(row.base) + independent_values(row.fresh), 3) - 2;
    test.probability = probability(row.difference, test.interval, degrees, quantile_of(degrees));
    return test;
  }

  double quantile_of(size_t degrees) {
    const auto [found, added] = quantiles_.try_emplace(degrees);
    if (added) found->second = quantile(degrees);
    return found->second;
  }

  Statistic statistic_;
  double resolution_;
  std::map<size_t, double> quantiles_;  // by degrees of freedom
};

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
  RowTests tests(statistic, resolution_of(rows));
  for (const size_t i : order) {
    const Compared& row = rows[i];
    if (row.base.empty() || row.fresh.empty()) continue;
    const RowTest test = tests.test(row);
    if (!is_known(test.interval)) continue;
    judgements[i].interval = test.interval;
    probabilities.emplace_back(test.probability, i);
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
