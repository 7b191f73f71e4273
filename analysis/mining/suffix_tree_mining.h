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
  uint32_t epsilon = 1;          // criterion 2: count - epsilon < repeats <= count; doubled until one is found
  std::optional<uint32_t> most_unmatched;  // k0 of Algorithm 1; nothing: a tenth of the pattern, at least 1
};

/// What was decided on the way, by loop of the result.
struct SuffixTreeMiningFacts {
  uint32_t epsilon = 0;  // with which the pattern was found
  uint32_t repeats = 0;  // of the pattern in the suffix tree (exact, occurrences may overlap)
};

/// The method of the DeepProf paper (section IV-B and IV-D1): the longest substring of the main stream's operations
/// that satisfies criteria 2 and 3, by a suffix array with the LCP (which has the nodes of the suffix tree as
/// intervals), then Algorithm 1. Loops of several counts are searched one by one. All loops have level 0; confidence is
/// the share of the count that was found.
Loops mine_by_suffix_tree(std::span<const Symbol> symbols, const SuffixTreeMiningOptions& options,
                          std::vector<SuffixTreeMiningFacts>* facts = nullptr);

}  // namespace xsp::analysis
