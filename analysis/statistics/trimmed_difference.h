#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace xsp::analysis {

/// The difference of two trimmed means, and how well it is known.
struct TrimmedDifference {
  double estimate = 0;        // of the second from the first
  double standard_error = 0;  // 0: no value that is kept differs from another
  size_t degrees = 1;         // of freedom of Student's distribution
  double exact = 0;           // no probability of this difference by chance is below: 0 where nothing limits it
};

/// Fewer values on either side are not enough.
inline constexpr size_t kLeastTrimmed = 4;

/// Yuen's test of trimmed means (Biometrika 61, 1974): as many values as the 20 % trimmed mean leaves out, but at least
/// one, are left out at each end, so that a single outlying value of a side changes neither the estimate nor its error.
/// The error is the larger of those with and without the assumption that both sides vary alike, and stretched for few
/// values, as simulation has it (doc/diff.md). Values that resemble those before them count as fewer.
///
/// Latencies that jump between two values are no noise around one: with ten values a side or fewer, two or more that
/// lie among the other side's values (with four, one) may be such jumps, and then the difference is no surer than
/// Fisher's exact test of how many lie where (`exact`).
///
/// `resolution`: of the clock that took the values; no value is known better. Nothing where a side has too few.
std::optional<TrimmedDifference> trimmed_difference(std::span<const double> a, std::span<const double> b,
                                                    double resolution);

}  // namespace xsp::analysis
