#include "analysis/statistics/statistic.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

namespace xsp::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double mean_of(const double* begin, const double* end) {
  return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
}

double percentile_of(std::vector<double>& values, double percentile) {
  const double rank = percentile / 100 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const auto at = values.begin() + static_cast<ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  const double fraction = rank - static_cast<double>(below);
  if (fraction == 0) return *at;
  return *at + fraction * (*std::min_element(at + 1, values.end()) - *at);
}

/// Of three the middle one is left: the median.
double trimmed_mean(std::vector<double>& values) {
  const size_t n = values.size();
  const size_t cut = n == 3 ? 1 : n / 5;
  if (cut != 0) {
    const auto first = values.begin() + static_cast<ptrdiff_t>(cut);
    const auto last = values.end() - static_cast<ptrdiff_t>(cut);
    std::nth_element(values.begin(), first, values.end());
    if (last != values.end()) std::nth_element(first, last, values.end());
  }
  return mean_of(values.data() + cut, values.data() + n - cut);
}

}  // namespace

std::optional<Statistic> Statistic::parse(std::string_view name) {
  if (name == "trimmed" || name == "trimmed_mean") return Statistic{};
  if (name == "mean") return Statistic{Kind::kMean, 0};
  if (name == "median") return Statistic{Kind::kMedian, 0};
  if (name == "min") return Statistic{Kind::kMin, 0};
  if (name == "max") return Statistic{Kind::kMax, 0};
  if (name.size() < 2 || name[0] != 'p') return {};
  unsigned percentile = 0;
  const auto [end, failure] = std::from_chars(name.data() + 1, name.data() + name.size(), percentile);
  if (failure != std::errc() || end != name.data() + name.size() || percentile > 100) return {};
  return Statistic{Kind::kPercentile, static_cast<double>(percentile)};
}

std::string Statistic::description() const {
  switch (kind) {
    case Kind::kTrimmedMean:
      return "20 % trimmed mean";
    case Kind::kMean:
      return "mean";
    case Kind::kMedian:
      return "median";
    case Kind::kMin:
      return "minimum";
    case Kind::kMax:
      return "maximum";
    case Kind::kPercentile:
      break;
  }
  return std::string("p").append(std::to_string(std::lround(percentile)));
}

double evaluate(const Statistic& statistic, std::vector<double>& values) {
  if (values.empty()) return kNone;
  switch (statistic.kind) {
    case Statistic::Kind::kTrimmedMean:
      return trimmed_mean(values);
    case Statistic::Kind::kMean:
      return mean_of(values.data(), values.data() + values.size());
    case Statistic::Kind::kMedian:
      return percentile_of(values, 50);
    case Statistic::Kind::kMin:
      return *std::min_element(values.begin(), values.end());
    case Statistic::Kind::kMax:
      return *std::max_element(values.begin(), values.end());
    case Statistic::Kind::kPercentile:
      break;
  }
  return percentile_of(values, statistic.percentile);
}

double interquartile_range(std::vector<double>& values) {
  if (values.size() < 2) return kNone;
  const double low = percentile_of(values, 25);
  return percentile_of(values, 75) - low;
}

}  // namespace xsp::analysis
