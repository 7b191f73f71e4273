#include "bound/bounds/observed_times.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace xsp::bound {
namespace {

/// Sets of numbers that are united.
class UnitedSets {
 public:
  explicit UnitedSets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }

  size_t set_of(size_t member) {
    while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
    return member;
  }
  void unite(size_t a, size_t b) { parent_[set_of(b)] = set_of(a); }

 private:
  std::vector<size_t> parent_;
};

/// Layers of the trace that share groups, and what of these groups was not found in it.
struct Cluster {
  double fused_ms = 0;
  double observed_ms = 0;  // each by itself: the least latency, or what its layers take if that is less
  bool is_known = true;
};

class Observation {
 public:
  Observation(const Bounds& bounds, const BoundMode& fused)
      : bounds_(bounds), fused_(fused), layers_(bounds.times.size()), trace_layers_(bounds.trace->layers.size()) {
    assign_units();
  }

  std::vector<double> factors() {
    std::vector<Cluster> clusters(units_);
    UnitedSets sets = united_units();
    for (size_t layer = 0; layer < layers_; ++layer) {
      if (unit_of_[layer] != kNoUnit) clusters[sets.set_of(unit_of_[layer])].fused_ms += fused_.weights_ms[layer];
    }
    std::vector<double> single = single_times();
    for (size_t unit = 0; unit < units_; ++unit) {
      Cluster& cluster = clusters[sets.set_of(unit)];
      if (unit >= trace_layers_) {
        const LayerTime& time = bounds_.times[layer_of_unit_[unit - trace_layers_]];
        cluster.observed_ms += single[unit];
        cluster.is_known = cluster.is_known && (time.bound_ms || !time.counts);
        continue;
      }
      const double least = bounds_.trace->layers[unit].least_ms;
      const bool is_time = std::isfinite(least) && least > 0;
      // Without a latency, what its layers take is all that is known.
      cluster.observed_ms += is_time && (least < single[unit] || !is_timed_[unit]) ? least : single[unit];
      cluster.is_known = cluster.is_known && (is_time || is_timed_[unit]);
    }
    std::vector<double> factors(layers_, 1.0);
    for (size_t layer = 0; layer < layers_; ++layer) {
      if (unit_of_[layer] == kNoUnit) continue;
      const Cluster& cluster = clusters[sets.set_of(unit_of_[layer])];
      if (cluster.is_known && cluster.observed_ms < cluster.fused_ms) {
        factors[layer] = cluster.observed_ms / cluster.fused_ms;
      }
    }
    return factors;
  }

 private:
  static constexpr size_t kNoUnit = SIZE_MAX;

  /// A unit is a layer of the trace; or a layer of the model that was not found in it and shares a group.
  void assign_units() {
    unit_of_.assign(layers_, kNoUnit);
    for (size_t unit = 0; unit < trace_layers_; ++unit) {
      for (const size_t layer : bounds_.trace->layers[unit].layers) {
        if (layer < layers_ && unit_of_[layer] == kNoUnit) unit_of_[layer] = unit;
      }
    }
    units_ = trace_layers_;
    for (size_t layer = 0; layer < layers_; ++layer) {
      if (unit_of_[layer] != kNoUnit || fused_.group_of[layer] == kNoGroup) continue;
      unit_of_[layer] = units_++;
      layer_of_unit_.push_back(layer);
    }
  }

  UnitedSets united_units() const {
    UnitedSets sets(units_);
    for (const size_t group : fused_.groups) {
      const std::vector<size_t>& members = bounds_.groups[group].layers;
      for (const size_t layer : members) sets.unite(unit_of_[members.front()], unit_of_[layer]);
    }
    return sets;
  }

  /// By unit: what its layers take without groups that other units share.
  std::vector<double> single_times() {
    std::vector<double> single(units_);
    is_timed_.assign(units_, true);
    for (size_t layer = 0; layer < layers_; ++layer) {
      const size_t unit = unit_of_[layer];
      if (unit == kNoUnit) continue;
      const size_t group = fused_.group_of[layer];
      const bool is_inside = group == kNoGroup || is_of_one_unit(group);
      const LayerTime& time = bounds_.times[layer];
      single[unit] += is_inside ? fused_.weights_ms[layer] : time.bound_ms.value_or(0);
      if (time.counts && !time.bound_ms && !(is_inside && group != kNoGroup)) is_timed_[unit] = false;
    }
    return single;
  }

  bool is_of_one_unit(size_t group) const {
    const std::vector<size_t>& members = bounds_.groups[group].layers;
    return std::all_of(members.begin(), members.end(),
                       [&](size_t layer) { return unit_of_[layer] == unit_of_[members.front()]; });
  }

  const Bounds& bounds_;
  const BoundMode& fused_;
  size_t layers_ = 0;
  size_t trace_layers_ = 0;
  size_t units_ = 0;
  std::vector<size_t> unit_of_;        // by layer of the model
  std::vector<size_t> layer_of_unit_;  // of units that are no layers of the trace
  std::vector<bool> is_timed_;         // by unit
};

}  // namespace

std::vector<double> observed_factors(const Bounds& bounds, const BoundMode& fused) {
  return Observation(bounds, fused).factors();
}

}  // namespace xsp::bound
