#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace xsp::analysis {

/// Every `period`-th place, beginning with `phase`.
struct Periodicity {
  uint32_t period = 0;  // at least 2
  uint32_t phase = 0;   // less than period
  uint32_t hits = 0;    // such places that are marked
  uint32_t places = 0;  // such places
  double p_value = 1;   // that as many marks at random places meet as well anywhere, with any period

  bool has(size_t place) const { return place % period == phase; }
};

/// Whether the marked places, ascending, of `n` recur regularly: at least three, and most of the marks at most of the
/// places. Candidates are the distances between marks and the ones next to them. Nothing from `alpha` on.
std::optional<Periodicity> periodicity_of(std::span<const uint32_t> marked, uint32_t n, double alpha);

/// Whether the largest values recur regularly, whatever their distribution: for each period k the n / k largest are the
/// marks. O(n log n).
std::optional<Periodicity> periodic_peaks(std::span<const double> values, double alpha);

}  // namespace xsp::analysis
