#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// `size` operations of a sequence that equal as many of a pattern.
struct MatchedBlock {
  uint32_t position = 0;  // in the sequence
  uint32_t phase = 0;     // in the pattern
  uint32_t size = 0;
};

/// How many operations, from the begin, are equal.
uint32_t common_prefix(const Symbol* a, const Symbol* b, uint32_t size);

/// |a| + |b| - 2 LCS(a, b), where that is at most `most`. By furthest reaching paths: O(|a| + most^2).
std::optional<uint32_t> edit_distance(std::span<const Symbol> a, std::span<const Symbol> b, uint32_t most);

/// Of the pattern and a begin of the sequence.
struct EdgeAlignment {
  uint32_t matches = 0;
  uint32_t end = 0;  // in the sequence, behind the last match
};

/// The best alignment of all of a short pattern with any begin of the sequence: the fewest deviations, then the most
/// matches. Quadratic: for the edges of stretches.
EdgeAlignment align_edge(std::span<const Symbol> sequence, std::span<const Symbol> pattern);

/// The way from a place where sequence and pattern differ to one where they agree again. Reused: it keeps its memory.
class Resynchronisation {
 public:
  /// The fewest inserted and missing operations, at most `most`, after which `agreeing` operations in a row are equal
  /// again (or, where the sequence ends before, all to its end). The sequence and the pattern differ at their begins.
  bool find(std::span<const Symbol> sequence, const Symbol* pattern, uint32_t pattern_size, uint32_t most,
            uint32_t agreeing);

  /// Of the way found, relative to the begins; the last one is the agreement.
  const std::vector<MatchedBlock>& blocks() const { return blocks_; }
  uint32_t distance() const { return distance_; }

 private:
  void walk_back(uint32_t distance, int32_t diagonal);

  std::vector<int32_t> reached_;  // of all distances, one behind another: 1, 2, 3, ... diagonals
  std::vector<MatchedBlock> blocks_;
  uint32_t distance_ = 0;
};

/// Aligns short pieces of a sequence and a pattern, pairing any two operations that are equal: time and memory are the
/// product of their sizes. Reused: it keeps its memory.
class DenseAlignment {
 public:
  /// All of both, with the most matches.
  void join(std::span<const Symbol> sequence, std::span<const Symbol> pattern);

  /// Begins of both, as far as they look alike: what matches outweighs what deviates. Nothing: they do not.
  void extend(std::span<const Symbol> sequence, std::span<const Symbol> pattern);

  /// What matched, relative to the begins, in order; none is empty.
  const std::vector<MatchedBlock>& blocks() const { return blocks_; }

 private:
  struct Cell {
    uint32_t x = 0, y = 0;
  };

  Cell fill(std::span<const Symbol> sequence, std::span<const Symbol> pattern, bool is_extension);
  void walk_back(Cell end, uint32_t width);

  std::vector<int32_t> last_, now_;
  std::vector<uint8_t> steps_;
  std::vector<MatchedBlock> blocks_;
};

}  // namespace xsp::analysis
