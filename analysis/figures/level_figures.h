#pragma once

#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// L1: the events of each level set inside one another, pale where another level set times them right (paper, Figure
/// 2), and what each level costs the model. Points of the nested figure are of rows of L1, by level set and layer.
std::vector<Figure> level_figures(const Table& table);

}  // namespace xsp::analysis
