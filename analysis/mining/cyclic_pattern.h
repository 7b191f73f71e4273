#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// A pattern read round and round, with an index of its short runs: where in it a sequence stands can be looked up.
class CyclicPattern {
 public:
  /// `pattern` has at least two operations.
  explicit CyclicPattern(std::vector<Symbol> pattern);

  uint32_t size() const { return static_cast<uint32_t>(pattern_.size()); }
  const std::vector<Symbol>& symbols() const { return pattern_; }

  /// At least kAhead operations from `phase` < size(), without a break at the pattern's end.
  const Symbol* at(uint32_t phase) const { return unrolled_.data() + phase; }
  static constexpr uint32_t kAhead = 1024;

  /// Operations in a run of the index.
  uint32_t run() const { return run_; }
  /// The hash by which runs of run() operations are looked up.
  uint32_t hash(const Symbol* run) const;
  /// Phases at which the run with this hash may stand: the first few.
  std::span<const uint32_t> phases(uint32_t hash) const;

 private:
  std::vector<Symbol> pattern_;
  std::vector<Symbol> unrolled_;
  uint32_t run_ = 0;
  uint32_t shift_ = 0;
  std::vector<uint32_t> bucket_begin_;
  std::vector<uint32_t> phases_;
};

}  // namespace xsp::analysis
