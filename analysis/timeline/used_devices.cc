#include "analysis/timeline/used_devices.h"

#include <map>
#include <vector>

#include "analysis/timeline/executions.h"

namespace xsp::analysis {
namespace {

DevicePlace place_of(const Trace& trace, uint32_t process, uint32_t device) {
  return {trace.segments[trace.processes[process].segment].hostname, device};
}

}  // namespace

DevicePlace place_of(const Trace& trace, const Device& device) {
  return device.uuid.empty() ? place_of(trace, device.process, device.index) : DevicePlace(device.uuid, 0);
}

std::set<DevicePlace> used_devices(const Trace& trace) {
  std::set<DevicePlace> used;
  std::map<std::pair<uint32_t, uint32_t>, DevicePlace> described;
  for (const Device& device : trace.devices) described[{device.process, device.index}] = place_of(trace, device);
  std::vector<bool> seen(trace.queues.size());
  for (size_t i = 0; i < trace.executions.size(); ++i) {
    const uint32_t number = trace.executions.queue[i];
    if (seen[number] || !is_work(trace.spans.kind[trace.executions.row[i]])) continue;
    seen[number] = true;
    const Queue& queue = trace.queues[number];
    const auto known = described.find({queue.process, queue.device});
    used.insert(known != described.end() ? known->second : place_of(trace, queue.process, queue.device));
  }
  return used;
}

}  // namespace xsp::analysis
