#pragma once

#include <optional>
#include <vector>

#include "analysis/statistics/bootstrap.h"

namespace xsp::analysis {

/// What is known of one row of a comparison.
struct Compared {
  double difference = 0;  // as the row shows it
  RunValues base;
  RunValues fresh;
};

struct Judgement {
  Interval interval;                // of the difference, each row for itself
  std::optional<bool> significant;  // among all rows; nothing: too few values
};

/// At most this share of the rows called significant is so by chance.
inline constexpr double kFalseDiscoveryRate = 0.05;

/// With more rows, only those with the largest differences are judged, as some among all: an interval takes a good part
/// of a millisecond.
inline constexpr size_t kMostJudged = 10'000;

/// Judges the rows of one table together. Of a hundred layers, one in twenty lies outside its interval by chance, so
/// significance follows the procedure of Benjamini and Hochberg (1995). A single row is judged by its interval. Trimmed
/// means of two single runs are judged by Yuen's test (trimmed_difference.h), which one outlying evaluation on a side
/// does not sway; other statistics and sets of runs by the bootstrap.
std::vector<Judgement> judge(const Statistic& statistic, const std::vector<Compared>& rows);

/// Probability of a larger |t| of Student's distribution.
double two_sided_tail(double t, size_t degrees);

}  // namespace xsp::analysis
