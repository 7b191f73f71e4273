#include "analysis/iterations/busiest_process.h"

#include <algorithm>
#include <iterator>

#include "analysis/iterations/execution_order.h"
#include "analysis/timeline/executions.h"
#include "analysis/timeline/intervals.h"

namespace xsp::analysis {
namespace {

/// Nothing: no work of a device.
std::vector<std::optional<int64_t>> device_times(const Trace& trace) {
  const QueuedWork work(trace, std::nullopt);
  std::vector<std::vector<uint32_t>> queues(trace.processes.size());
  for (uint32_t queue = 0; queue < trace.queues.size(); ++queue) {
    if (!work.of(queue).empty()) queues[trace.queues[queue].process].push_back(queue);
  }
  std::vector<std::optional<int64_t>> times(queues.size());
  for (size_t process = 0; process < queues.size(); ++process) {
    if (queues[process].empty()) continue;
    UnionLength busy;
    for (const uint32_t execution : work.merged(queues[process])) {
      const Row row = trace.executions.row[execution];
      busy.add(trace.spans.begin[row], trace.spans.end[row]);
    }
    times[process] = busy.length();
  }
  return times;
}

/// Sums: layers of the tables hold no layers.
std::vector<std::optional<int64_t>> layer_times(const Trace& trace, const Evaluations& evaluations) {
  std::vector<std::optional<int64_t>> times(trace.processes.size());
  for (const auto* layers : {&evaluations.layers, &evaluations.loose_layers, &evaluations.failed_layers}) {
    for (const Row row : *layers) {
      auto& time = times[trace.process_of(row)];
      time = time.value_or(0) + trace.spans.duration(row);
    }
  }
  return times;
}

std::vector<std::optional<int64_t>> call_times(const Trace& trace) {
  std::vector<std::optional<int64_t>> times(trace.processes.size());
  for (Row row = 0; row < trace.spans.size(); ++row) {
    if (!is_library_call(trace.spans, row)) continue;
    auto& time = times[trace.process_of(row)];
    time = time.value_or(0) + trace.spans.duration(row);
  }
  return times;
}

std::optional<uint32_t> longest(const std::vector<std::optional<int64_t>>& times,
                                const std::vector<uint32_t>& processes) {
  std::optional<uint32_t> found;
  for (const uint32_t process : processes) {
    if (times[process] && (!found || *times[process] > *times[*found])) found = process;
  }
  return found;
}

}  // namespace

std::vector<uint32_t> processes_of_device(const Trace& trace, const std::vector<uint32_t>& processes) {
  std::vector<bool> has_work(trace.processes.size());
  for (size_t i = 0; i < trace.executions.size(); ++i) {
    if (is_work(trace.spans.kind[trace.executions.row[i]])) {
      has_work[trace.queues[trace.executions.queue[i]].process] = true;
    }
  }
  std::vector<uint32_t> found;
  std::copy_if(processes.begin(), processes.end(), std::back_inserter(found),
               [&](uint32_t process) { return has_work[process]; });
  return found;
}

std::optional<uint32_t> busiest_process(const Trace& trace, const Evaluations& evaluations,
                                        const std::vector<uint32_t>& processes) {
  const std::vector<uint32_t> with_device = processes_of_device(trace, processes);
  if (with_device.size() == 1) return with_device.front();
  if (!with_device.empty()) return longest(device_times(trace), with_device);
  if (const auto process = longest(layer_times(trace, evaluations), processes)) return process;
  return longest(call_times(trace), processes);
}

}  // namespace xsp::analysis
