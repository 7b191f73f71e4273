#include "bound/bounds/exact_benchmarks.h"

#include <algorithm>

namespace xsp::bound {

ExactBenchmarks::ExactBenchmarks(const Bounds& bounds, std::span<const LayerTime> times,
                                 std::span<const LayerTime> group_times)
    : bounds_(bounds), times_(times) {
  for (size_t group = 0; group < std::min(bounds.groups.size(), group_times.size()); ++group) {
    const LayerTime& time = group_times[group];
    if (!time.bound_ms) continue;
    const LayerTime*& quickest = groups_[counted(bounds.groups[group].layers)];
    if (quickest == nullptr || *time.bound_ms < *quickest->bound_ms) quickest = &time;
  }
}

std::vector<size_t> ExactBenchmarks::counted(const std::vector<size_t>& layers) const {
  std::vector<size_t> counted;
  std::ranges::copy_if(layers, std::back_inserter(counted),
                       [&](size_t layer) { return layer < bounds_.times.size() && bounds_.times[layer].counts; });
  return counted;
}

const LayerTime* ExactBenchmarks::of(const TraceLayer& layer) const {
  const std::vector<size_t> ran = counted(layer.layers);
  if (ran.empty()) return nullptr;
  if (ran.size() == 1) {
    const LayerTime& time = times_[ran.front()];
    return time.bound_ms ? &time : nullptr;
  }
  const auto group = groups_.find(ran);
  return group == groups_.end() ? nullptr : group->second;
}

}  // namespace xsp::bound
