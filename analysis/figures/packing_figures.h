#pragma once

#include <cstddef>
#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// R2: kernels one after another, and below as the simple scheduler packs them; what runs side by side stands in rows
/// of its own. None where packing gains nothing.
std::vector<Figure> packing_figures(const Table& table);

inline constexpr size_t kMostPackedRows = 7;    // side by side
inline constexpr size_t kMostPackedBars = 250;  // of a row; of more, neighbours are one bar

}  // namespace xsp::analysis
