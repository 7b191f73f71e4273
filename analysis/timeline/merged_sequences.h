#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/timeline/sequence_alignment.h"

namespace xsp::analysis {

/// One of several different sequences, and how many evaluations have it. Those that count 0 have no say: they are only
/// given the slots of what the others have, too.
struct CountedSequence {
  std::vector<SequencePlace> places;
  size_t count = 0;
};

/// How a place is treated whose counterpart in the reference is something else of the same kind: it gets the same slot
/// under another name, or is an alternative with a slot of its own.
enum class Renamed { kSame, kAlternative };

/// Several sequences as one: each place of each of them has a slot, and no two places of a sequence have the same.
/// Slots below `rows` are those that at least half of the sequences (by count) have, in order; behind them are the
/// others.
struct MergedSequences {
  std::vector<std::vector<uint32_t>> slots;  // by sequence and place; kNoPlace: of what no counted sequence has
  std::vector<size_t> n;                     // by slot: the counts of the sequences that have it
  std::vector<uint32_t> first;               // by slot: the first sequence that has it
  size_t rows = 0;
  size_t reference = 0;           // sequence that the others were aligned to
  std::vector<uint8_t> left_out;  // by sequence: it has less than half in common with the reference
  size_t not_aligned = 0;         // sequences left out because aligning all would take too long
};

/// Aligns each sequence to the most frequent one that is not empty, of several such to that whose length is nearest to
/// the median. What the reference does not have gets a slot behind the same place of it; the n-th of one key there is
/// the same in all sequences. An alternative that exactly half have is no row, because what it stands for is one.
///
/// Bounded: an alignment takes O((m + n) d) steps for d differences; once all together took kMaxAlignmentSteps, the
/// sequences that are left, the least frequent ones, are left out.
MergedSequences merge_sequences(const std::vector<CountedSequence>& sequences, Renamed renamed);

inline constexpr uint64_t kMaxAlignmentSteps = uint64_t{1} << 30;

}  // namespace xsp::analysis
