#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace xsp::analysis {

/// What it costs to compute with `to` threads behind something that was computed with `from`.
struct SwitchCost {
  uint32_t from = 0;
  uint32_t to = 0;
  double ns = 0;
};

/// The changes of the number of threads in a run.
struct Switches {
  size_t count = 0;
  std::optional<double> ns = {};  // nothing: no cost was measured
};

/// The changes while computing with these numbers one after the other, from the program's own number and back to it at
/// the end. A pair that was not measured costs as much as the nearest one: that of which both numbers together differ
/// least.
Switches switches_along(const std::vector<uint32_t>& threads, uint32_t own, const std::vector<SwitchCost>& costs);

}  // namespace xsp::analysis
