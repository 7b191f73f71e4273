#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {

/// The part of a sequence in no loop yet: its pieces one behind another, with a separator before each but the first. A
/// separator is a symbol that occurs nowhere else, so that nothing repeats across it.
class Remainder {
 public:
  /// All of a sequence, which is not copied.
  explicit Remainder(std::span<const Symbol> all);

  std::span<const Symbol> symbols() const { return own_.empty() ? all_ : std::span<const Symbol>(own_); }
  uint32_t size() const { return static_cast<uint32_t>(symbols().size()); }
  /// Where an operation stands in the whole sequence; of a separator where the piece behind it begins.
  uint32_t original(uint32_t position) const;
  /// The first separator in [begin, end), else end.
  uint32_t first_separator(uint32_t begin, uint32_t end) const;
  /// More than any symbol of symbols().
  Symbol separators_end() const { return separators_end_; }

  /// The same without the given ranges, which are in order.
  Remainder without(const std::vector<OperationRange>& covered) const;

 private:
  struct Piece {
    uint32_t position, original;
  };

  std::span<const Symbol> all_;
  std::vector<Symbol> own_;
  std::vector<Piece> pieces_;
  Symbol separators_end_ = 0;
};

}  // namespace xsp::analysis
