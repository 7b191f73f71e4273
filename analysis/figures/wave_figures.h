#pragma once

#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// R1: kernel time by number of waves, in order of waves, with the cumulative share.
std::vector<Figure> wave_figures(const Table& table);

}  // namespace xsp::analysis
