#pragma once

#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// A1: throughput and latency over batch sizes, a line for each model on each system, with the optimal batch sizes
/// (paper, Figures 3 and 11). Bars of latency with their intervals where no line has two points.
std::vector<Figure> sweep_figures(const Table& table);

}  // namespace xsp::analysis
