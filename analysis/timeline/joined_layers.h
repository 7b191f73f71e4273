#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics/statistic.h"
#include "analysis/timeline/device_latencies.h"
#include "analysis/timeline/evaluations.h"

namespace xsp::analysis {

/// One layer of the tables: the layers of the same ordinal of all evaluations.
struct JoinedLayer {
  uint32_t name = 0;
  uint32_t type = 0;
  uint32_t shape = 0;
  bool shape_varies = false;
  double latency_ns = 0;
  double spread_ns = 0;         // NaN when unknown
  std::optional<double> bytes;  // allocated; nothing when unknown in an evaluation
  uint64_t calls = 0;           // spans behind the numbers
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
  size_t without_layers = 0;        // evaluations left out because they have no layers
  size_t diverging = 0;             // left out because their sequence of (name, type) is another
  size_t first_difference = 0;      // ordinal, of the first evaluation that diverges

  /// Of totals: each layer span and its index in `layers`.
  std::vector<std::pair<Row, uint32_t>> members;
};

/// Time, on average of an evaluation, that a layer runs, on the host or on a device, while an earlier one of
/// `evaluations` still does.
double overlap_of_layers(const Trace& trace, const Evaluations& all, const Executions& executions,
                         const std::vector<uint32_t>& evaluations);

/// Joins the layers of `evaluations` by ordinal. When their sequences of (name, type) differ, only those of the most
/// frequent sequence are joined. An iteration may run through other modules of the same types than the one before, as
/// those of a model's blocks: of iterations the sequences are of types, and a layer of several names has that of its
/// type.
JoinedLayers join_layers(const Trace& trace, const Evaluations& all, const DeviceLatencies& latencies,
                         const std::vector<uint32_t>& evaluations, const Statistic& statistic);

/// Totals over whole groups instead (--per trace): every evaluation, each sequence of layers for itself, and behind
/// them those layers outside evaluations (also of calls that failed) that `is_wanted`, by name.
JoinedLayers total_layers(const Trace& trace, const Evaluations& all, const DeviceLatencies& latencies,
                          const std::vector<uint32_t>& groups, const std::function<bool(Row)>& is_wanted);

/// Gives joined layers a time that is known by layer span (`ns`: as DeviceLatencies::layers; empty: not known): the
/// statistic of it over the joined evaluations, of totals the sum. `members` of totals tells which spans these are.
void join_layer_times(const Evaluations& all, const std::vector<int64_t>& ns, const Statistic& statistic,
                      double JoinedLayer::*to, JoinedLayers* joined);

}  // namespace xsp::analysis
