#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/alignment.h"
#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// Alignment of short pieces of a sequence and a pattern, of any two operations that are equal: time and memory are the
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
