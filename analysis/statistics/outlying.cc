#include "analysis/statistics/outlying.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace xsp::analysis {
namespace {

/// The largest and one more, the largest first.
std::vector<double> largest(std::span<const double> values, size_t count) {
  std::vector<double> upper(values.begin(), values.end());
  const size_t kept = std::min(upper.size(), count + 1);
  std::partial_sort(upper.begin(), upper.begin() + static_cast<ptrdiff_t>(kept), upper.end(), std::greater<>());
  upper.resize(kept);
  return upper;
}

/// Of a mean of n values of an exponential distribution: the chance that another is `ratio` times as large.
double exponential_tail(double ratio, double n) { return std::exp(-n * std::log1p(ratio / n)); }

}  // namespace

Outlying outlying_of(std::span<const double> values, size_t tail, size_t most, double alpha) {
  constexpr size_t kLeastBelow = 3;
  Outlying found;
  const std::vector<double> upper = largest(values, tail);
  if (upper.size() < kLeastBelow + 2) return found;
  const size_t spacings = upper.size() - 1;
  // sum[i]: of the normalised spacings of ranks above i.
  std::vector<double> sum(spacings + 1, 0);
  for (size_t rank = spacings; rank-- > 0;) {
    sum[rank] = sum[rank + 1] + static_cast<double>(rank + 1) * (upper[rank] - upper[rank + 1]);
  }
  for (size_t count = 1; count <= most && count + kLeastBelow <= spacings; ++count) {
    const double spacing = static_cast<double>(count) * (upper[count - 1] - upper[count]);
    const auto below = static_cast<double>(spacings - count);
    const double mean = sum[count] / below;
    if (!(spacing > 0)) continue;
    const double p = mean > 0 ? exponential_tail(spacing / mean, below) : 0;
    // Over all counts these add up to alpha.
    const double allowed = alpha * 6 / (std::numbers::pi * std::numbers::pi * static_cast<double>(count * count));
    if (p < allowed) found = {count, p};
  }
  return found;
}

double tail_probability(std::span<const double> values, double value) {
  const std::vector<double> upper = largest(values, values.size() / 2);
  if (upper.size() < 3 || value <= upper.back()) return 1;
  const auto spacings = static_cast<double>(upper.size() - 1);
  double sum = 0;
  for (size_t rank = 0; rank + 1 < upper.size(); ++rank) {
    sum += static_cast<double>(rank + 1) * (upper[rank] - upper[rank + 1]);
  }
  // The share seen above it, if that is more than the tail says.
  const auto above = std::count_if(upper.begin(), upper.end(), [&](double other) { return other >= value; });
  const double seen = static_cast<double>(above) / static_cast<double>(values.size());
  const double part = spacings / static_cast<double>(values.size());
  if (!(sum > 0)) return seen;
  return std::max(seen, part * exponential_tail((value - upper.back()) / (sum / spacings), spacings));
}

}  // namespace xsp::analysis
