#pragma once

#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// The rooflines of a table: A9, A14, A15 and M1; none where no row has both an intensity and a throughput.
std::vector<Figure> roofline_figures_of(const Table& table);

/// Where a roof's slope ends, in flop/B: left of it the memory's bandwidth bounds, right of it the peak.
double ridge_of(const Roof& roof);

}  // namespace xsp::analysis
