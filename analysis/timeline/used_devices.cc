#include "analysis/timeline/used_devices.h"

#include <vector>

#include "analysis/timeline/executions.h"

namespace xsp::analysis {
namespace {

DevicePlace place_of(const Trace& trace, uint32_t process, uint32_t device) {
  return {trace.segments[trace.processes[process].segment].hostname, device};
}

}  // namespace

std::set<DevicePlace> used_devices(const Trace& trace) {
  std::set<DevicePlace> used;
  std::vector<bool> seen(trace.queues.size());
  for (size_t i = 0; i < trace.executions.size(); ++i) {
    const uint32_t number = trace.executions.queue[i];
    if (seen[number] || !is_work(trace.spans.kind[trace.executions.row[i]])) continue;
    seen[number] = true;
    used.insert(place_of(trace, trace.queues[number].process, trace.queues[number].device));
  }
  return used;
}

DevicePlace place_of(const Trace& trace, const Device& device) { return place_of(trace, device.process, device.index); }

}  // namespace xsp::analysis
