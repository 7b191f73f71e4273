#pragma once

#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// Where iterations deviate much, following loses its step: adds the iterations before, between and behind those found
/// that are about as like the pattern as these are, clearly more than chance, and splits what two were taken for.
/// Quadratic in the pattern: for patterns and places that this can be afforded for, else nothing is done.
void complete_iterations(std::vector<LoopIteration>& iterations, const std::vector<Symbol>& pattern,
                         std::span<const Symbol> symbols);

}  // namespace xsp::analysis
