#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// Symbols [begin, end) each equal the one `period` before: at least twice the same `period` symbols.
struct Repetition {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t period = 0;

  bool operator==(const Repetition&) const = default;
};

/// All repetitions that neither end could be extended, each with its smallest period, in order of begin and end. There
/// are fewer than symbols. By halving (Main, Lorentz: "An O(n log n) algorithm for finding all repetitions in a
/// string", 1984).
std::vector<Repetition> maximal_repetitions(std::span<const Symbol> symbols);

}  // namespace xsp::analysis
