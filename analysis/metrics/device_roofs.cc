#include "analysis/metrics/device_roofs.h"

namespace xsp::analysis {
namespace {

uint32_t device_of(const Trace& trace, const Queue& queue) {
  auto found = static_cast<uint32_t>(trace.devices.size());
  for (uint32_t i = 0; i < trace.devices.size(); ++i) {
    const Device& device = trace.devices[i];
    if (device.index != queue.device) continue;
    if (device.process == queue.process) return i;
    const bool near = trace.processes[device.process].segment == trace.processes[queue.process].segment;
    if (near && found == trace.devices.size()) found = i;
  }
  return found;
}

}  // namespace

DeviceRoofs find_roofs(const Trace& trace, const PeakOptions& options) {
  DeviceRoofs roofs;
  for (const Device& device : trace.devices) roofs.peaks.push_back(peaks_of(device, options));
  roofs.peaks.push_back(peaks_of({}, options));
  for (const Queue& queue : trace.queues) roofs.of_queue.push_back(device_of(trace, queue));
  return roofs;
}

}  // namespace xsp::analysis
