#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace xsp::analysis {

inline constexpr uint32_t kNoPlace = UINT32_MAX;

/// Among the values of a place: of an evaluation that does not have it.
inline constexpr double kAbsent = -1e300;

/// How a place of one sequence stands to the other sequence.
enum class Alignment : uint8_t { kSame, kRenamed, kMoved, kRemoved, kAdded };

struct AlignedPlace {
  uint32_t a = kNoPlace;  // kNoPlace: added
  uint32_t b = kNoPlace;  // kNoPlace: removed
  Alignment how = Alignment::kSame;

  bool operator==(const AlignedPlace&) const = default;
};

/// What is compared of a place: `key` is what it is (name, type), `kind` what may take its place under another name
/// (type, shape); 0: nothing may.
struct SequencePlace {
  uint64_t key = 0;
  uint64_t kind = 0;
};

/// A layer by the ids of its name and type, within one trace.
inline SequencePlace layer_place(uint32_t name, uint32_t type) {
  return {uint64_t{name} << 32 | type, uint64_t{type} + 1};
}

/// Aligns two sequences. Places of a longest common subsequence of keys are the same; of the others, those with equal
/// keys are moved (the n-th of several meets the n-th), those with equal kinds between the same neighbours are renamed
/// where both sequences have as many of the kind there, and the rest is removed or added. The result is in order of b,
/// with removed places behind what came before them in a. O((m + n) d) time for d differences in O(m + n) memory; where
/// both sequences order what they share quite differently the common subsequence is a long one, not always a longest.
std::vector<AlignedPlace> align_sequences(std::span<const SequencePlace> a, std::span<const SequencePlace> b);

}  // namespace xsp::analysis
