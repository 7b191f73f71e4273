#include "analysis/steps/device_order.h"

#include <algorithm>
#include <string_view>

#include "analysis/timeline/executions.h"

namespace xsp::analysis {

DeviceOrder::DeviceOrder(const Trace& trace) : trace_(trace) {
  const ExecutionTable& executions = trace.executions;
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> uuids;
  for (const Device& device : trace.devices) {
    if (device.uuid.empty()) continue;
    const std::pair key(trace.processes[device.process].segment, std::string_view(device.uuid));
    numbers_[{device.process, device.index}] =
        uuids.try_emplace(key, static_cast<uint32_t>(uuids.size())).first->second;
  }
  std::vector<std::vector<uint32_t>*> of_queue(trace.queues.size());
  used_.assign(trace.processes.size(), {INT64_MAX, INT64_MIN});
  for (uint32_t i = 0; i < executions.size(); ++i) {
    if (!is_work(trace.spans.kind[executions.row[i]])) continue;
    const uint32_t queue = executions.queue[i];
    if (of_queue[queue] == nullptr) {
      const Queue& about = trace.queues[queue];
      of_queue[queue] = &executions_[key_of(about.process, about.device)];
      devices_[about.process].insert(about.device);
    }
    of_queue[queue]->push_back(i);
    TimeInterval& used = used_[trace.queues[queue].process];
    used.begin = std::min(used.begin, trace.spans.begin[executions.row[i]]);
    used.end = std::max(used.end, trace.spans.end[executions.row[i]]);
    longest_ns_ = std::max(longest_ns_, trace.spans.duration(executions.row[i]));
  }
  if (!executions_.empty()) {
    recorded_.assign(trace.processes.size(), {INT64_MAX, INT64_MIN});
    for (Row row = 0; row < trace.spans.size(); ++row) {
      TimeInterval& recorded = recorded_[trace.process_of(row)];
      recorded.begin = std::min(recorded.begin, trace.spans.begin[row]);
      recorded.end = std::max(recorded.end, trace.spans.end[row]);
    }
  }
  const auto earlier = [&](uint32_t a, uint32_t b) {
    const int64_t begin_a = trace.spans.begin[executions.row[a]];
    const int64_t begin_b = trace.spans.begin[executions.row[b]];
    return begin_a != begin_b ? begin_a < begin_b : a < b;
  };
  for (auto& [key, of_device] : executions_) {
    if (!std::is_sorted(of_device.begin(), of_device.end(), earlier)) {
      std::sort(of_device.begin(), of_device.end(), earlier);
    }
  }
}

TimeInterval DeviceOrder::recorded(uint32_t process) const {
  return process < recorded_.size() ? recorded_[process] : TimeInterval();
}

TimeInterval DeviceOrder::used(uint32_t process) const {
  return used_[process].begin < used_[process].end ? used_[process] : TimeInterval();
}

DeviceOrder::Key DeviceOrder::key_of(uint32_t process, uint32_t device) const {
  constexpr uint64_t kSegment = uint64_t{1} << 32;
  constexpr uint64_t kUuid = uint64_t{2} << 32;
  const auto number = numbers_.find({process, device});
  if (number != numbers_.end()) return {kUuid + number->second, 0};
  const uint32_t segment = trace_.processes[process].segment;
  const bool imported = !trace_.segments[segment].source.empty();
  return {imported ? kSegment + segment : process, device};
}

const std::vector<uint32_t>& DeviceOrder::on(uint32_t process, uint32_t device) const {
  static const std::vector<uint32_t> kNothing;
  const auto found = executions_.find(key_of(process, device));
  return found == executions_.end() ? kNothing : found->second;
}

size_t DeviceOrder::first_at(const std::vector<uint32_t>& on_device, int64_t time) const {
  const auto first = std::lower_bound(on_device.begin(), on_device.end(), time, [&](uint32_t execution, int64_t at) {
    return trace_.spans.begin[trace_.executions.row[execution]] < at - longest_ns_;
  });
  return static_cast<size_t>(first - on_device.begin());
}

std::vector<uint32_t> DeviceOrder::devices_of(uint32_t process) const {
  const auto found = devices_.find(process);
  if (found == devices_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

}  // namespace xsp::analysis
