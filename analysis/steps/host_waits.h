#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/executions.h"
#include "analysis/timeline/intervals.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What the host of a process waits for, on the threads that its evaluations are called on (on all of them where there
/// are none). Waiting is no work: docs speak of `wait_ms`.
struct HostWaits {
  struct OfProcess {
    TimeIntervals input;            // for the next batch: spans of the data loader's iterator
    TimeIntervals synchronisation;  // for the device: synchronising calls and copies that return when they are done
    TimeIntervals communication;    // of any thread, between ranks and without a device: Gloo's, MPI's
  };
  std::vector<OfProcess> processes;

  /// By index in Evaluations::layers, behind them loose_layers and failed_layers: the part of the layer's own interval
  /// in which its thread waits. Empty: nothing waits.
  std::vector<int64_t> of_layer_ns;

  /// The spans behind the intervals of `synchronisation`.
  std::vector<Row> synchronising;
};

/// A call of the CUDA API waits when its name says that it synchronises or copies at once. Any other copy to or from
/// the host waits when half of its copy is done as it returns (those of pageable memory return some 80 µs before the
/// end of theirs); one that takes less than kLeastCopyWaitNs is as short as a launch. A launch waits where
/// the queue of its device is full (full_queues.h). Where a process has no calls of
/// the API, `aten::item` stands for the copy in it.
HostWaits find_host_waits(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                          const Executions& executions);

inline constexpr int64_t kLeastCopyWaitNs = 10'000;

/// "cudaStreamSynchronize", "cuMemcpyDtoH_v2", "hipDeviceSynchronize", "cudaMemcpy": not what returns at once, and no
/// wait of a stream for an event.
bool is_blocking_call(std::string_view function);

}  // namespace xsp::analysis
