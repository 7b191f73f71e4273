#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/executions.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What a layer takes, its own executions included: they may run when its call has long returned.
struct LayerLatency {
  int64_t latency_ns = 0;  // length of the union of the host's interval and the executions'
  int64_t gpu_ns = 0;      // of the union of the kernels' intervals
  int64_t kernel_ns = 0;   // sum of the kernels' durations
  uint32_t kernels = 0;
};

/// Latencies where calls return before the device is done.
struct DeviceLatencies {
  std::vector<int64_t> model;        // by evaluation; empty: the trace knows no more than the host's
  std::vector<LayerLatency> layers;  // by index in Evaluations::layers, behind them loose_layers and failed_layers;
                                     // empty without executions
  bool has_kernels = false;
  bool by_events = false;  // model latencies from events on streams, no executions

  int64_t model_ns(const Trace& trace, const Evaluations& evaluations, uint32_t evaluation) const {
    return model.empty() ? trace.spans.duration(evaluations.root[evaluation]) : model[evaluation];
  }
};

/// The latency of an evaluation ends when its call has returned and its last kernel, copy or memset has ended, or, if
/// it has none, its events on the stream. An execution counts for the layer of its evaluation; with `whole_trace` for
/// the layer that captured it wherever its graph was launched.
DeviceLatencies device_latencies(const Trace& trace, const Evaluations& evaluations, const Executions& executions,
                                 bool whole_trace);

/// Index in Evaluations::layers of the layer of `evaluation` that an execution belongs to: of a graph captured in
/// another evaluation, the one with the same ordinal, name and type. SIZE_MAX: in none.
size_t layer_of(const Trace& trace, const Evaluations& evaluations, const PlacedExecution& placed);

}  // namespace xsp::analysis
