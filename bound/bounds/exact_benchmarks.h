#pragma once

#include <map>
#include <span>
#include <vector>

#include "bound/bounds/bounds.h"

namespace xsp::bound {

/// Benchmarks of what layers of a trace ran, where there is one of exactly that: of a layer by itself, or of a group of
/// the same layers. Shares of a group are no benchmarks.
class ExactBenchmarks {
 public:
  /// `times` by layer and `group_times` by candidate, which are not copied: those of `bounds`, or of some libraries
  /// alone.
  ExactBenchmarks(const Bounds& bounds, std::span<const LayerTime> times, std::span<const LayerTime> group_times);

  /// Null: none was measured. Layers that do not count are nothing to run.
  const LayerTime* of(const TraceLayer& layer) const;
  /// The layers of it that count.
  std::vector<size_t> counted(const std::vector<size_t>& layers) const;

 private:
  const Bounds& bounds_;
  std::span<const LayerTime> times_;
  std::map<std::vector<size_t>, const LayerTime*> groups_;  // the quickest, by their layers that count
};

}  // namespace xsp::bound
