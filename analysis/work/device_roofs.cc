#include "analysis/work/device_roofs.h"

#include <map>
#include <utility>

namespace xsp::analysis {

DeviceRoofs find_roofs(const Trace& trace, const PeakOptions& options) {
  DeviceRoofs roofs;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> of_process;  // by number of the device; the first one that tells
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> of_segment;
  for (const Device& device : trace.devices) {
    const auto number = static_cast<uint32_t>(roofs.peaks.size());
    of_process.try_emplace({device.process, device.index}, number);
    of_segment.try_emplace({trace.processes[device.process].segment, device.index}, number);
    roofs.peaks.push_back(peaks_of(device, options));
  }
  const auto unknown = static_cast<uint32_t>(roofs.peaks.size());
  roofs.peaks.push_back(peaks_of({}, options));
  for (const Queue& queue : trace.queues) {
    const auto own = of_process.find({queue.process, queue.device});
    const auto near = of_segment.find({trace.processes[queue.process].segment, queue.device});
    const uint32_t other = near == of_segment.end() ? unknown : near->second;
    roofs.of_queue.push_back(own == of_process.end() ? other : own->second);
  }
  return roofs;
}

}  // namespace xsp::analysis
