#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::test {

/// Probabilities per operation of an iteration: how recordings of equal iterations differ.
struct Deviations {
  double substituted = 0;
  double inserted = 0;
  double missing = 0;
  double swapped = 0;  // with the next operation

  /// All four with the same probability, `rate` together.
  static Deviations mixed(double rate) { return {rate / 4, rate / 4, rate / 4, rate / 4}; }
};

struct ExpectedLoop {
  uint32_t level = 0;
  uint32_t count = 0;
  std::vector<uint32_t> begins;  // at level 0: where the iterations begin
};

/// A sequence and the loops it was made of.
struct GeneratedSequence {
  std::vector<analysis::Symbol> symbols;
  std::vector<analysis::SymbolRole> roles;
  std::vector<int64_t> idle;  // before each operation, ns
  std::vector<ExpectedLoop> loops;
  uint64_t deviations = 0;  // made in total, a substitution counted as two

  analysis::MiningInput input() const;
  /// The same without times.
  analysis::MiningInput input_without_idle() const { return {symbols, roles, nullptr}; }
};

/// The kinds that can be generated: those that loop, and those that do not.
const std::vector<std::string>& looping_kinds();
const std::vector<std::string>& loopless_kinds();

/// The sequence of a kind for a seed: periods, counts, alphabets, what comes before and after are drawn from it. Only
/// looping kinds have deviations. `operations`: approximate length, 0: drawn.
GeneratedSequence generate(const std::string& kind, uint64_t seed, const Deviations& deviations = {},
                           uint32_t operations = 0);

}  // namespace xsp::test
