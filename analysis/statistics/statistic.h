#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xsp::analysis {

/// A value that is not known.
inline constexpr double kUnknownValue = std::numeric_limits<double>::quiet_NaN();

/// How the values of one joined ordinal over evaluations become one number.
struct Statistic {
  enum class Kind { kTrimmedMean, kMean, kMedian, kMin, kMax, kPercentile };

  Kind kind = Kind::kTrimmedMean;
  double percentile = 0;  // of kPercentile, 0 to 100

  /// "trimmed", "mean", "median", "min", "max", "p90" and the like; nothing for another name.
  static std::optional<Statistic> parse(std::string_view name);
  /// For a reader: "20 % trimmed mean", "median", "p90".
  std::string description() const;
};

/// The statistic of `values`, which are reordered; NaN when there are none. Trimmed mean: floor(0.2 n) values are left
/// out at each end; fewer than three values give their mean. Percentiles interpolate linearly between the two nearest
/// values.
double evaluate(const Statistic& statistic, std::vector<double>& values);

/// Interquartile range (p75 - p25), the spread of every table; NaN for fewer than two values, which are reordered.
double interquartile_range(std::vector<double>& values);

}  // namespace xsp::analysis
