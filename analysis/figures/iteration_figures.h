#pragma once

#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// D1: the iterations along time, one row of bars per level. An iteration longer than the others of its loop (above the
/// third quartile by three times the interquartile range, and by more than a hundredth of the median) is an outlier: it
/// has a series with marks. If there are more than kMostStripBars, neighbours are merged, outliers never.
std::vector<Figure> iteration_figures(const Table& table);

/// D2: the state graph of each loop, and interval and iteration time of iteration after iteration.
std::vector<Figure> loop_figures(const Table& table);

inline constexpr size_t kMostStripBars = 20'000;

}  // namespace xsp::analysis
