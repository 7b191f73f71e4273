#include "analysis/waves/kernel_fills.h"

#include <algorithm>
#include <array>

#include "analysis/trace/launch_configuration.h"
#include "analysis/work/device_names.h"

namespace xsp::analysis {
namespace {

/// ROCm gives its GPUs a compute capability, too: an MI250X says 9.0.
bool is_of_other_maker(std::string_view name) {
  constexpr std::array<std::string_view, 5> kWords = {"AMD", "Radeon", "Instinct", "gfx", "Intel"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

DeviceSlots slots_of(const ListedDevice& listed) { return {find_limits(listed.capability), listed.multiprocessors}; }

}  // namespace

DeviceSlots slots_of(const Device& device) {
  DeviceSlots slots;
  if (is_of_other_maker(device.name)) return slots;
  const ListedDevice* listed = find_listed(device);
  if (device.compute_capability_major != 0) {
    slots.limits = find_limits(10 * device.compute_capability_major + device.compute_capability_minor);
  } else if (listed != nullptr) {
    slots.limits = find_limits(listed->capability);
  }
  slots.multiprocessors = device.multiprocessors;
  if (slots.multiprocessors == 0 && listed != nullptr && !is_instance(device.name)) {
    slots.multiprocessors = listed->multiprocessors;
  }
  return slots;
}

KernelFills::KernelFills(const Trace& trace, const DeviceRoofs& roofs, std::string_view gpu)
    : trace_(trace), roofs_(roofs) {
  DeviceSlots of_option;
  if (const ListedDevice* meant = gpu.empty() ? nullptr : find_meant(gpu)) of_option = slots_of(*meant);
  for (const Device& device : trace.devices) {
    devices_.push_back(slots_of(device));
    if (!devices_.back().known() && device.name.empty()) devices_.back() = of_option;
  }
  devices_.push_back(of_option);
}

const KernelFill& KernelFills::of(const JoinedKernel& kernel) {
  const uint32_t queue = trace_.executions.queue[kernel.execution];
  const uint32_t number = std::min(roofs_.of_queue[queue], static_cast<uint32_t>(devices_.size() - 1));
  const uint32_t configuration =
      kernel.configuration_varies ? 0 : trace_.spans.shape[trace_.executions.row[kernel.execution]];
  const uint64_t key = uint64_t{configuration} << 32 | number;
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, fill_of(configuration, devices_[number])).first->second;
}

KernelFill KernelFills::fill_of(uint32_t configuration, const DeviceSlots& device) const {
  KernelFill fill;
  fill.device = device;
  const auto shape = launch_shape(launch_configuration(trace_.text(configuration)));
  if (!shape) return fill;
  fill.has_shape = true;
  fill.shape = *shape;
  fill.problem = !device.known()     ? FillProblem::kDevice
                 : shape->is_cluster ? FillProblem::kCluster
                                     : FillProblem::kNone;
  if (fill.problem != FillProblem::kNone) return fill;
  fill.occupancy = occupancy_of(*shape, *device.limits);
  const auto waves = waves_of(*shape, fill.occupancy, *device.limits, device.multiprocessors);
  if (waves) {
    fill.waves = *waves;
  } else {
    fill.problem = FillProblem::kTooLarge;
  }
  return fill;
}

}  // namespace xsp::analysis
