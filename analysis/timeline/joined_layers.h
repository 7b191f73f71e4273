#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics/statistic.h"
#include "analysis/timeline/device_latencies.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/layer_places.h"

namespace xsp::analysis {

/// One layer of the tables: the layers of the same place (LayerPlaces) of all evaluations.
struct JoinedLayer {
  uint32_t name = 0;
  uint32_t type = 0;  // of a library call the function
  Row row = kNoRow;   // the first of them
  uint32_t shape = 0;
  bool shape_varies = false;
  double latency_ns = 0;
  double spread_ns = 0;         // NaN when unknown
  std::optional<double> bytes;  // allocated; nothing when unknown in an evaluation
  uint64_t calls = 0;           // evaluations that have it; with --per trace spans
  double count = 1;             // spans that it sums up in an evaluation, mean: of bookkeeping several
  double backward_ns = 0;       // backward work of the layer, wherever it ran; 0 where none is known of any
  double wait_ns = 0;           // of the call itself: waiting for input or for the device (steps/host_waits.h)

  // Of traces with executions.
  double host_ns = 0;    // of latency_ns: the call itself
  double gpu_ns = 0;     // union of its kernels
  double kernel_ns = 0;  // sum of them
  double kernels = 0;    // mean count; with --per trace all of them
};

/// The layers of the evaluations under study, statistic applied: all that A2 to A7 are made of.
struct JoinedLayers {
  std::vector<JoinedLayer> layers;  // in execution order
  size_t evaluations = 0;           // joined
  std::vector<uint32_t> joined;     // which
  double loose_ns = 0;              // of the layers' latency: outside these evaluations
  LayerPlaces places;               // what is joined, and what is left out; of totals empty

  /// Of totals: each layer span and its index in `layers`.
  std::vector<std::pair<Row, uint32_t>> members;
};

/// Time, on average of an evaluation, that a layer runs, on the host or on a device, while an earlier one of
/// `evaluations` still does.
double overlap_of_layers(const Trace& trace, const Evaluations& all, const Executions& executions,
                         const std::vector<uint32_t>& evaluations);

/// Joins the layers of `evaluations` by place: each value is the statistic over the evaluations that have the layer. A
/// layer of several names has that of its type. `others` are only given places.
JoinedLayers join_layers(const Trace& trace, const Evaluations& all, const DeviceLatencies& latencies,
                         const std::vector<uint32_t>& evaluations, const Statistic& statistic,
                         const std::vector<uint32_t>& others = {});

/// Totals over whole groups instead (--per trace): every evaluation, each sequence of layers for itself, behind them
/// those layers outside evaluations (also of calls that failed) that `is_wanted`, by name, and last all bookkeeping.
JoinedLayers total_layers(const Trace& trace, const Evaluations& all, const DeviceLatencies& latencies,
                          const std::vector<uint32_t>& groups, const std::function<bool(Row)>& is_wanted);

/// Gives joined layers a time that is known by layer span (`ns`: as DeviceLatencies::layers; empty: not known): the
/// statistic of it over the joined evaluations, of totals the sum. `members` of totals tells which spans these are.
void join_layer_times(const Evaluations& all, const std::vector<int64_t>& ns, const Statistic& statistic,
                      double JoinedLayer::*to, JoinedLayers* joined);

}  // namespace xsp::analysis
