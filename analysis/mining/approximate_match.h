#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// Symbols [begin, end) are the pattern's in its order, with others between them.
struct ApproximateMatch {
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// Algorithm 1 of the DeepProf paper: the first place where the pattern is found with at most `most_unmatched` (k0)
/// symbols between its own, then the first behind that, and so on. What its pseudocode leaves open is decided thus:
///
/// - A symbol that matched is used up: the next one of the pattern is looked for behind it.
/// - The sequence's end within a pattern is no match, however few were unmatched until there.
/// - A match begins with the pattern's first symbol. The pseudocode counts up to k0 symbols before it as the match's
///   own; they stand between two iterations. The same matches are found, with the same ends.
///
/// The pseudocode tries the next start after each that failed, O(mn) in all. A later start never ends earlier, so that
/// here a start that took too long is followed by the first whose match may end at the same place and be short enough.
/// An attempt thus gains as many symbols as it was too long: O(n) where what is no iteration differs by a share of the
/// pattern, and O(mn) only where attempt after attempt is too long by a few symbols.
std::vector<ApproximateMatch> approximate_matches(std::span<const Symbol> symbols, std::span<const Symbol> pattern,
                                                  uint32_t most_unmatched);

}  // namespace xsp::analysis
