#pragma once

#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// Bars by name, the longest first.
std::vector<Figure> longest_layer_figures(const Table& table);     // A2: the longest layers
std::vector<Figure> layer_type_figures(const Table& table);        // A5 (paper, Figure 4a)
std::vector<Figure> latency_by_type_figures(const Table& table);   // A6 (Figure 4b)
std::vector<Figure> memory_by_type_figures(const Table& table);    // A7 (Figure 4c)
std::vector<Figure> kernels_by_name_figures(const Table& table);   // A10, with the cumulative share
std::vector<Figure> library_function_figures(const Table& table);  // C2
std::vector<Figure> model_figures(const Table& table);             // M1, without its roofline

}  // namespace xsp::analysis
