#pragma once

#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// Adjacent iterations that lack the same operations belong to another loop, whose iteration is a part of this pattern
/// (evaluation between training): takes them out. The iteration behind them, which had taken the last of theirs for its
/// begin, begins later.
void remove_other_phases(std::vector<LoopIteration>& iterations, const std::vector<Symbol>& pattern,
                         std::span<const Symbol> symbols);

}  // namespace xsp::analysis
