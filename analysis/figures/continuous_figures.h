#pragma once

#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// Q3: rates and latencies over the minutes.
std::vector<Figure> spans_over_time_figures(const Table& table);

}  // namespace xsp::analysis
