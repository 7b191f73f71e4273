#include "analysis/statistics/trimmed_difference.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/statistics/binomial.h"
#include "analysis/statistics/correlation_time.h"
#include "analysis/statistics/statistic.h"

namespace xsp::analysis {
namespace {

/// One side of a comparison.
struct Trimmed {
  double mean = 0;     // of the values that are kept
  double kept = 0;     // how many of them there are
  double squares = 0;  // of the deviations of the winsorized values: those left out lie where the last one kept does
  double time = 1;     // values in a row that tell as much as one
};

Trimmed trim(std::span<const double> values, double resolution) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t n = sorted.size();
  const size_t cut = std::max<size_t>(1, n / 5);
  Trimmed side;
  side.kept = static_cast<double>(n - 2 * cut);
  for (size_t i = cut; i < n - cut; ++i) side.mean += sorted[i] / side.kept;
  std::fill_n(sorted.begin(), cut, sorted[cut]);
  std::fill_n(sorted.end() - static_cast<ptrdiff_t>(cut), cut, sorted[n - cut - 1]);
  double mean = 0;
  for (const double value : sorted) mean += value / static_cast<double>(n);
  for (const double value : sorted) side.squares += (value - mean) * (value - mean);
  // A duration between two clock readings takes one of two neighbouring values: it varies by half a step at most.
  const double coarse = resolution * resolution / 4 * static_cast<double>(n - 1);
  side.squares = std::max(side.squares, coarse);
  side.time = correlation_time({Statistic::Kind::kTrimmedMean, 0}, values);
  return side;
}

/// Fisher's exact test, two-sided: the chance that so few of `a` values on one side of a border are with `b` on the
/// other, where `of_a` and `of_b` are on the wrong side.
double fisher(size_t a, size_t b, size_t of_a, size_t of_b) {
  const size_t beyond = of_a + (b - of_b);
  double tail = 0;
  for (size_t i = 0; i <= of_a; ++i) {
    if (i > beyond || beyond - i > b) continue;
    tail += std::exp(log_choose(static_cast<double>(a), static_cast<double>(i)) +
                     log_choose(static_cast<double>(b), static_cast<double>(beyond - i)) -
                     log_choose(static_cast<double>(a + b), static_cast<double>(beyond)));
  }
  return std::min(1.0, 2 * tail);
}

double exact_limit(std::span<const double> a, std::span<const double> b, double a_mean, double b_mean) {
  constexpr size_t kFew = 10;
  constexpr double kNear = 0.25;  // of the difference: noise around the other mean hardly comes so near
  if (a.size() > kFew && b.size() > kFew) return 0;
  const auto crossed = [&](std::span<const double> values, double other) {
    return static_cast<size_t>(std::count_if(values.begin(), values.end(), [&](double value) {
      return std::fabs(value - other) < kNear * std::fabs(b_mean - a_mean);
    }));
  };
  const size_t of_a = crossed(a, b_mean);
  const size_t of_b = crossed(b, a_mean);
  const size_t allowed = std::min(a.size(), b.size()) > kLeastTrimmed ? 1 : 0;  // three of four are not every one
  return of_a + of_b <= allowed ? 0 : fisher(a.size(), b.size(), of_a, of_b);
}

}  // namespace

std::optional<TrimmedDifference> trimmed_difference(std::span<const double> a, std::span<const double> b,
                                                    double resolution) {
  if (a.size() < kLeastTrimmed || b.size() < kLeastTrimmed) return {};
  const Trimmed x = trim(a, resolution);
  const Trimmed y = trim(b, resolution);
  const auto separate = [](const Trimmed& side) { return side.time * side.squares / (side.kept * (side.kept - 1)); };
  const double pooled = (x.squares + y.squares) / (x.kept + y.kept - 2) * (x.time / x.kept + y.time / y.kept);
  const double few = 1 + 1 / (2 * std::min(x.kept, y.kept));
  TrimmedDifference difference;
  difference.estimate = y.mean - x.mean;
  difference.standard_error = std::sqrt(few * std::max(separate(x) + separate(y), pooled));
  const double degrees = x.kept / x.time + y.kept / y.time - 2;
  difference.degrees = static_cast<size_t>(std::max(1.0, degrees));
  difference.exact = exact_limit(a, b, x.mean, y.mean);
  return difference;
}

}  // namespace xsp::analysis
