#include "analysis/tables/scheduled_kernels.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/tables/kernel_tables.h"
#include "analysis/waves/kernel_fills.h"
#include "analysis/waves/kernel_kinds.h"

namespace xsp::analysis {
namespace {

/// Bytes that counters saw in DRAM: what arguments tell may come from a cache.
double measured_bytes(const KernelMetrics& metrics) {
  if (metrics.source != MetricSource::kCounters) return KernelMetrics::kUnknown;
  return metrics.dram_read_bytes + metrics.dram_write_bytes;
}

/// Gives each configuration and each device a number.
class Launches {
 public:
  Launches(const Study& study, CoSchedule* schedule)
      : study_(study),
        fills_(study.trace, study.roofs, study.options.peaks.gpu),
        device_of_(study.roofs.peaks.size(), UINT32_MAX),
        schedule_(*schedule) {}

  uint32_t of(const JoinedKernel& kernel) {
    const KernelFill& fill = fills_.of(kernel);
    const uint32_t peaks = study_.roofs.of_queue[study_.trace.executions.queue[kernel.execution]];
    const auto [found, is_new] = number_of_.try_emplace(&fill, static_cast<uint32_t>(schedule_.launches.size()));
    if (is_new) {
      const uint32_t device = device_of(peaks, fill);
      schedule_.launches.push_back(fill.problem == FillProblem::kNone
                                       ? launch_needs(fill.occupancy, fill.shape.blocks, device)
                                       : LaunchNeeds{.device = device});
    }
    return found->second;
  }

 private:
  uint32_t device_of(uint32_t peaks, const KernelFill& fill) {
    if (device_of_[peaks] != UINT32_MAX) return device_of_[peaks];
    const double bandwidth = study_.roofs.peaks[peaks].bandwidth.value;
    device_of_[peaks] = static_cast<uint32_t>(schedule_.devices.size());
    // Of an unknown device one kernel is taken at a time.
    schedule_.devices.push_back(fill.device.known()
                                    ? packed_device(*fill.device.limits, fill.device.multiprocessors, bandwidth)
                                    : PackedDevice{1, {1, 1, 1, 1}, bandwidth});
    return device_of_[peaks];
  }

  const Study& study_;
  KernelFills fills_;
  std::vector<uint32_t> device_of_;  // by number in DeviceRoofs::peaks
  std::unordered_map<const KernelFill*, uint32_t> number_of_;
  CoSchedule& schedule_;
};

}  // namespace

ScheduledKernels scheduled_kernels(const Study& study) {
  ScheduledKernels result;
  const auto& kernels = study.kernels.kernels;
  const KernelLayers layers(study);
  result.layer_of.reserve(kernels.size());
  for (const JoinedKernel& kernel : kernels) {
    const KernelLayer layer = layers.of(kernel);
    // As A11: a layer of another name at the same place is no row of A2.
    const bool is_row = layer.attached && layer.index < study.joined.layers.size() &&
                        study.joined.layers[layer.index].name == layer.name;
    result.layer_of.push_back(is_row ? layer.index : UINT32_MAX);
  }
  KernelRoles roles(study.trace);
  result.times = kernel_times(study, result.layer_of, &roles);
  result.order = layer_order(study);
  CoSchedule& schedule = result.schedule;
  schedule.after = std::move(result.order.after);
  schedule.kernels.reserve(kernels.size());
  Launches launches(study, &schedule);
  for (uint32_t i = 0; i < kernels.size(); ++i) {
    if (roles.of(kernels[i]) == KernelRole::kCommunicates) {
      ++result.communication;
      result.communication_ns += kernels[i].latency_ns;
      continue;
    }
    const uint32_t layer = result.layer_of[i];
    const bool has_group = result.order.is_known && layer != UINT32_MAX;
    const uint32_t group = has_group ? result.order.group_of[layer] : kNoKernelGroup;
    result.kernel_of.push_back(i);
    schedule.kernels.push_back({.latency_ns = result.times.own_ns[i],
                                .dram_bytes = measured_bytes(kernels[i].metrics),
                                .launch = launches.of(kernels[i]),
                                .group = group});
    if (group != kNoKernelGroup) result.joined_ns += result.times.own_ns[i];
  }
  result.several_gpus = schedule.devices.size() > 1;
  return result;
}

}  // namespace xsp::analysis
