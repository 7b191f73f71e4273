#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bound/bounds/group_choice.h"
#include "bound/bounds/layer_times.h"
#include "bound/fusion/fused_group.h"
#include "bound/joining/joined_trace.h"
#include "bound/model/layer.h"

namespace xsp::bound {

/// The layers one after another (the paper's section III, E, 1).
struct SequentialBound {
  double bound_ms = 0;
  std::optional<double>
      expected_ms;     // layers without a cold time count with their hot one; nothing: too many have none
  size_t layers = 0;   // that count
  size_t missing = 0;  // of these without a time
  size_t noisy = 0;
  double noisy_ms = 0;         // of bound_ms, what rests on disturbed benchmarks
  size_t inexact = 0;          // layers whose quickest implementation rounds otherwise (Winograd)
  double exact_ms = 0;         // bound_ms without such implementations
  size_t without_cold = 0;     // layers that count in expected_ms with their hot time
  double without_cold_ms = 0;  // of bound_ms
  std::optional<double> coverage_layers_pct;
  std::optional<double> coverage_flops_pct;
};

/// Independent branches at the same time: the longest path, weights on nodes (section III, E, 2).
struct ParallelBound {
  double bound_ms = 0;
  std::vector<size_t> path;   // layers, in order
  std::vector<size_t> apart;  // taken groups whose layers count one by one: at once they would wait for another branch
  std::vector<double> weights_ms;  // by layer, those that the path adds up
};

/// What a layer takes in a mode; of a taken group its share, by what its layers take by themselves.
struct LayerShare {
  std::optional<double> bound_ms;  // nothing: it counts and has no time
  std::optional<double> expected_ms;
};

/// The bounds of one way to run the model.
struct BoundMode {
  std::string_view name;  // "layers", "fused", "best_known"
  SequentialBound sequential;
  ParallelBound parallel;          // its path: layers of the model, those of taken groups included
  std::vector<size_t> groups;      // taken ones, indices in Bounds::groups; of "layers" none
  std::vector<double> weights_ms;  // by layer; of a group all of it at its last layer, 0 at the others
  std::vector<size_t> group_of;    // by layer: the taken group that has it; kNoGroup: none
  std::vector<LayerShare> shares;  // by layer
};

/// What the kernels of the runtime that ran take by themselves, by benchmarks of its library alone: it tells whether
/// the run is slow, or its kernels are.
struct OwnKernels {
  std::string library;     // "onnxruntime 1.32.0"
  SequentialBound bound;   // of the layers of the model that the trace ran, as it ran them: one by one, or at once
  double measured_ms = 0;  // what the layers of the trace took of which these benchmarks are
  double least_ms = 0;     // the same, of each its least latency
};

struct Bounds {
  const LayeredModel* model = nullptr;
  std::vector<LayerTime> times;          // by layer
  std::vector<FusedGroup> groups;        // candidates
  std::vector<LayerTime> group_times;    // by candidate
  std::vector<GroupDecision> decisions;  // by candidate, of the mode "fused"
  const JoinedTrace* trace = nullptr;    // null: nothing was measured beside the model
  /// "layers", then "fused" where there are candidates, then "best_known" with a trace.
  std::vector<BoundMode> modes;
  std::string contradiction;  // the parallel bound is above the sequential one

  const BoundMode& layers() const { return modes.front(); }
  /// "fused" where it is there, else "layers": what runtimes that fuse are compared with.
  const BoundMode& fused() const;
  /// Whether any group was measured: else "fused" is what "layers" is.
  bool has_measured_groups() const;
  const BoundMode* mode(std::string_view name) const;  // null: not there

  std::optional<OwnKernels> own_kernels;  // of a runtime whose kernels can be measured

  /// What ran faster than a benchmark of just that (ExactBenchmarks): layers of the trace, and by how much.
  struct Faster {
    size_t trace_layer = 0;
    double bound_ms = 0;
    double least_ms = 0;
  };
  std::vector<Faster> faster;
};

/// What is known of a model besides the times of its layers.
struct BoundExtras {
  std::vector<FusedGroup> groups = {};
  std::vector<LayerTime> group_times = {};
  const JoinedTrace* trace = nullptr;
};

/// `times` by layer. What is no duration (negative, not finite) counts as missing.
///
/// `fused`: with the groups of choose_groups(). `best_known`: the same, and for the layers of the trace the smaller of
/// their least latency and the bound of what they ran; those that share a group with others are compared together with
/// these. It is never above `fused`, nor `fused` above `layers`, sequential and parallel.
Bounds make_bounds(const LayeredModel& model, std::vector<LayerTime> times, BoundExtras extras = {});

/// The bound of the layers that a layer of the trace ran, in a mode; of a group that it ran in part its share. Nothing
/// where it ran no layers of the model, or one of them with work has no time.
std::optional<double> bound_of(const Bounds& bounds, const BoundMode& mode, const TraceLayer& layer);

/// The same of what it ran by itself: groups that it ran whole at once, all other layers one by one.
std::optional<double> ran_bound_of(const Bounds& bounds, const BoundMode& mode, const TraceLayer& layer);

/// Whether the layer of the trace ran all layers of the group that count.
bool ran_whole(const Bounds& bounds, size_t group, const TraceLayer& layer);

/// What is wrong with bounds of the same times: independent branches at the same time take longer than one after the
/// other. Empty where they do not.
std::string contradiction_between(double parallel_ms, double sequential_ms);

}  // namespace xsp::bound
