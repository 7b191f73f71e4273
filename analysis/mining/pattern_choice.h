#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {

/// Of the periods voted for, the pattern that explains the most of the range, without the deviations of single repeats.
/// Empty if none explains anything.
std::vector<Symbol> choose_pattern(std::span<const Symbol> symbols, OperationRange range);

/// Operations of a sample of the range that a pattern explains, less its deviations.
double explained_by(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, OperationRange range);

/// What repeats that are cut at the same place have in common: the one nearest to all, corrected by the rest.
std::vector<Symbol> common_pattern(std::span<const Symbol> symbols, const std::vector<OperationRange>& repeats,
                                   OperationRange range);

}  // namespace xsp::analysis
