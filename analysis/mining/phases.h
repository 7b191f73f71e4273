#pragma once

#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// Iterations that lack the same and stand together are of another loop, whose iteration is a part of this pattern
/// (evaluation between training): takes them out. The one behind them, which took the last of theirs for its begin,
/// begins later.
void remove_other_phases(std::vector<LoopIteration>& iterations, const std::vector<Symbol>& pattern,
                         std::span<const Symbol> symbols);

}  // namespace xsp::analysis
