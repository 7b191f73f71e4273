#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// A stretch of a pattern: `symbols` one after another, or `parts`, `repeats` times.
struct FoldedPattern {
  uint64_t repeats = 1;
  std::vector<Symbol> symbols;       // of a leaf
  std::vector<FoldedPattern> parts;  // of a node
};

/// A pattern with its exact adjacent repeats folded, nested where they are: a model of 24 equal blocks is prologue,
/// 24 x block, epilogue. Expanding it gives the pattern again. At most O(n log n).
std::vector<FoldedPattern> fold_pattern(std::span<const Symbol> pattern);

}  // namespace xsp::analysis
