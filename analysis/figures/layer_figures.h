#pragma once

#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// Figures over the layers in order of execution, with their stages shaded (paper, Figures 5, 7 and 8). Rows without a
/// number are left out and counted.
std::vector<Figure> layer_latency_figures(const Table& table);     // A3
std::vector<Figure> layer_memory_figures(const Table& table);      // A4
std::vector<Figure> kernels_by_layer_figures(const Table& table);  // A11
std::vector<Figure> layer_metrics_figures(const Table& table);     // A12
std::vector<Figure> gpu_latency_figures(const Table& table);       // A13
/// Kernels in order of execution.
std::vector<Figure> kernel_latency_figures(const Table& table);  // A8

}  // namespace xsp::analysis
