#pragma once

#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// Following loses step where iterations deviate a lot: adds iterations before, between and behind those found that
/// match the pattern about as well, clearly better than chance, and splits an iteration that is really two. Quadratic
/// in the pattern: does nothing for patterns and places where that costs too much.
void complete_iterations(std::vector<LoopIteration>& iterations, const std::vector<Symbol>& pattern,
                         std::span<const Symbol> symbols);

}  // namespace xsp::analysis
