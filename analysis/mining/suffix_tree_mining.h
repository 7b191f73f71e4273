#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// What the paper takes from the program's source and from its authors.
struct SuffixTreeMiningOptions {
  std::vector<uint32_t> counts;  // iterations of each loop, at least one
  /// Criterion 2: count - epsilon < repeats <= count, doubled until one is found. Nothing: a fourth of the count,
  /// because extra work in every fifth iteration leaves those only a part of the longest repeat.
  std::optional<uint32_t> epsilon;
  std::optional<uint32_t> most_unmatched;  // k0 of Algorithm 1; nothing: a tenth of the pattern, at least 1
};

/// What was decided on the way, by loop of the result.
struct SuffixTreeMiningFacts {
  uint32_t epsilon = 0;  // with which the pattern was found
  uint32_t repeats = 0;  // of the pattern in the suffix tree (exact, occurrences may overlap)
};

/// The method of the DeepProf paper (section IV-B and IV-D1): the longest substring of the main stream's operations
/// that satisfies criteria 2 and 3, by a suffix array with the LCP (which has the nodes of the suffix tree as
/// intervals), then Algorithm 1. What the paper leaves open:
///
/// - The length of the sequence includes its end, the paper's "$": criterion 3 is length <= symbols / count. Otherwise
///   a trace of nothing but equal iterations would have patterns one operation short.
/// - Iterations do not overlap, as occurrences of a substring may. Where they usually do, the pattern ends where the
///   next occurrence begins.
/// - Loops of several counts are searched one by one, the largest count first, each in what the iterations of those
///   before leave of the sequence.
///
/// All loops have level 0. Confidence is the share of the count that was found, or of what was found that the count is,
/// times the share of the operations between the first iteration's begin and the last one's end that are the pattern's,
/// those of other loops left out. Below a half there is no loop. What is told is that times what so many iterations are
/// worth, 1 - 2^(1-n). At 10^7 operations about 10 bytes an operation beside
/// the symbols.
Loops mine_by_suffix_tree(std::span<const Symbol> symbols, const SuffixTreeMiningOptions& options,
                          std::vector<SuffixTreeMiningFacts>* facts = nullptr);

}  // namespace xsp::analysis
