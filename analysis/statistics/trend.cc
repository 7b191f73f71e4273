#include "analysis/statistics/trend.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/statistics/correlation_time.h"
#include "analysis/statistics/statistic.h"
#include "analysis/statistics/student.h"

namespace xsp::analysis {
namespace {

constexpr size_t kMostPoints = 500;

struct Points {
  std::vector<double> position;
  std::vector<double> value;
};

double median(std::vector<double> values) { return evaluate({Statistic::Kind::kMedian, 0}, values); }

/// The medians of at most kMostPoints stretches.
Points stretches(std::span<const double> positions, std::span<const double> values) {
  const size_t each = (values.size() + kMostPoints - 1) / kMostPoints;
  Points points;
  for (size_t begin = 0; begin < values.size(); begin += each) {
    const size_t count = std::min(each, values.size() - begin);
    const auto some = values.subspan(begin, count);
    const auto where = positions.subspan(begin, count);
    points.value.push_back(median({some.begin(), some.end()}));
    points.position.push_back(median({where.begin(), where.end()}));
  }
  return points;
}

/// Variance of Kendall's S of n values, less what equal ones take away (Kendall 1975).
double variance_of_s(const std::vector<double>& values) {
  const auto term = [](double n) { return n * (n - 1) * (2 * n + 5); };
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  double sum = term(static_cast<double>(sorted.size()));
  for (size_t begin = 0; begin < sorted.size();) {
    const auto end = std::upper_bound(sorted.begin() + static_cast<ptrdiff_t>(begin), sorted.end(), sorted[begin]);
    const auto ties = static_cast<size_t>(end - sorted.begin()) - begin;
    if (ties > 1) sum -= term(static_cast<double>(ties));
    begin += ties;
  }
  return sum / 18;
}

/// Residuals that are negligible next to the line are rounding, which is correlated with itself.
bool is_rounding(const std::vector<double>& residuals, double rise) {
  constexpr double kRounding = 1e-6;
  return std::all_of(residuals.begin(), residuals.end(),
                     [&](double residual) { return std::fabs(residual) <= kRounding * std::fabs(rise); });
}

/// How many residuals tell as much as one: by the variance of batches, and, for these are few where the residuals are,
/// by how much neighbours resemble each other (of an autoregression of first order). No more than a seventh of them,
/// where a rise without a single fall is still significant (p < 1e-4).
double residual_correlation_time(const std::vector<double>& residuals) {
  const auto n = static_cast<double>(residuals.size());
  double products = 0;
  double squares = 0;
  for (size_t i = 0; i < residuals.size(); ++i) {
    squares += residuals[i] * residuals[i];
    if (i != 0) products += residuals[i] * residuals[i - 1];
  }
  double time = correlation_time(Statistic{}, residuals);
  const double neighbours = squares > 0 ? products / squares : 0;
  if (neighbours > 1 / std::sqrt(n)) time = std::max(time, (1 + neighbours) / std::max(1 - neighbours, 1 / n));
  return std::clamp(time, 1.0, std::max(n / 7, 1.0));
}

}  // namespace

std::optional<Trend> trend_of(std::span<const double> positions, std::span<const double> values) {
  if (values.size() < kLeastForTrend || positions.size() != values.size()) return {};
  const Points points = stretches(positions, values);
  const size_t n = points.value.size();
  std::vector<double> slopes;
  slopes.reserve(n * (n - 1) / 2);
  double s = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      const double difference = points.value[j] - points.value[i];
      slopes.push_back(difference / (points.position[j] - points.position[i]));
      s += difference > 0 ? 1 : difference < 0 ? -1 : 0;
    }
  }
  Trend trend;
  trend.slope = median(slopes);
  std::vector<double> residuals(n);
  for (size_t i = 0; i < n; ++i) residuals[i] = points.value[i] - trend.slope * points.position[i];
  trend.intercept = median(residuals);
  for (double& residual : residuals) residual -= trend.intercept;
  const double rise = trend.slope * (points.position.back() - points.position.front());
  if (!is_rounding(residuals, rise)) trend.correlation_time = residual_correlation_time(residuals);

  const double deviation = std::sqrt(variance_of_s(points.value) * trend.correlation_time);
  if (!(deviation > 0)) return trend;
  const double z = std::max(std::fabs(s) - 1, 0.0) / deviation;
  trend.p_value = std::erfc(z / std::sqrt(2.0));
  const auto pairs = static_cast<double>(slopes.size());
  const auto ranked = [&](double rank) {
    const auto at = static_cast<ptrdiff_t>(std::clamp(rank, 0.0, pairs - 1));
    std::nth_element(slopes.begin(), slopes.begin() + at, slopes.end());
    return slopes[static_cast<size_t>(at)];
  };
  trend.slopes.low = ranked(std::floor((pairs - kNormalQuantile * deviation) / 2));
  trend.slopes.high = ranked(std::ceil((pairs + kNormalQuantile * deviation) / 2));
  return trend;
}

}  // namespace xsp::analysis
