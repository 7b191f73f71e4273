#include "import/kineto/profiler_ranges.h"

#include <algorithm>
#include <tuple>

namespace xsp::kineto {
namespace {

/// Functions of the runtime and the driver that start one kernel.
bool launches_kernel(std::string_view name) {
  for (const std::string_view prefix : {"cudaLaunchKernel", "cuLaunchKernel", "cudaLaunchCooperativeKernel",
                                        "cuLaunchCooperativeKernel", "hipLaunchKernel", "hipExtLaunchKernel"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

void ProfilerRanges::add(const ProfilerEvent& event) {
  const int64_t device = event.device.or_else(event.pid.number.or_else(0));
  Range range{.begin_ns = event.time == TimeState::kKnown ? event.time_ns : 0,
              .device = device >= 0 && device < UINT32_MAX ? static_cast<uint32_t>(device) : 0,
              .name = texts_.intern(event.name),
              .first_value = values_.size(),
              .values = event.metrics.size()};
  for (const auto& [metric, value] : event.metrics) values_.emplace_back(texts_.intern(metric), value);
  ranges_.push_back(range);
}

void ProfilerRanges::add_launch(const ProfilerEvent& event, ImportedProcess* process) {
  if (!event.correlation.is_known || !launches_kernel(event.name)) return;
  launches_.push_back({event.time_ns + event.duration_ns, event.correlation.value, process});
}

void ProfilerRanges::add_counters(const Range& range, size_t execution, ImportedProcess* process) const {
  for (size_t i = range.first_value; i < range.first_value + range.values; ++i) {
    process->add_counter(execution, texts_.text(values_[i].first), values_[i].second);
  }
}

/// Gives each range to the kernel with the same ordinal on its device, if all names match.
bool ProfilerRanges::give_to_kernels(ImportedProcess* home) const {
  struct Kernel {
    uint32_t device;
    uint32_t correlation;
    int64_t begin_ns;
    size_t execution;
  };
  std::vector<Kernel> kernels;
  const auto& executions = home->executions();
  for (size_t i = 0; i < executions.size(); ++i) {
    if (executions[i].kind != wire::Kind::kKernel) continue;
    kernels.push_back({executions[i].queue.device, executions[i].correlation, executions[i].begin_ns, i});
  }
  if (kernels.size() != ranges_.size()) return false;
  std::sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) {
    return std::tie(a.device, a.correlation, a.begin_ns, a.execution) <
           std::tie(b.device, b.correlation, b.begin_ns, b.execution);
  });
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (ranges_[i].device != kernels[i].device) return false;
    if (texts_.text(ranges_[i].name) != home->text(executions[kernels[i].execution].name)) return false;
  }
  for (size_t i = 0; i < kernels.size(); ++i) add_counters(ranges_[i], kernels[i].execution, home);
  return true;
}

bool ProfilerRanges::make_kernels() {
  // The driver call inside a runtime call has the same id.
  std::sort(launches_.begin(), launches_.end(), [](const Launch& a, const Launch& b) {
    return std::tie(a.correlation, a.end_ns) < std::tie(b.correlation, b.end_ns);
  });
  const auto same_call = [](const Launch& a, const Launch& b) { return a.correlation == b.correlation; };
  launches_.erase(std::unique(launches_.begin(), launches_.end(), same_call), launches_.end());
  // Launches do not say which device.
  const bool on_one_device = std::all_of(ranges_.begin(), ranges_.end(),
                                         [&](const Range& range) { return range.device == ranges_.front().device; });
  if (launches_.size() != ranges_.size() || !on_one_device) return false;
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const Launch& launch = launches_[i];
    ImportedExecution kernel;
    kernel.begin_ns = kernel.end_ns = launch.end_ns;
    kernel.name = launch.process->text(texts_.text(ranges_[i].name));
    kernel.correlation = static_cast<uint32_t>(launch.correlation);
    kernel.queue.device = ranges_[i].device;
    launch.process->add_execution(kernel);
    add_counters(ranges_[i], launch.process->execution_count() - 1, launch.process);
  }
  return true;
}

void ProfilerRanges::give(ImportedProcess* home, ProfileTimeline* timeline) {
  if (ranges_.empty()) return;
  std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    return a.device != b.device ? a.device < b.device : a.begin_ns < b.begin_ns;
  });
  const std::string count = std::to_string(ranges_.size());
  const auto is_kernel = [](const ImportedExecution& execution) { return execution.kind == wire::Kind::kKernel; };
  const auto& executions = home->executions();
  if (std::any_of(executions.begin(), executions.end(), is_kernel)) {
    if (!give_to_kernels(home)) {
      timeline->note("range of CUPTI's profiler whose counters are left out: ranges and kernels are not the same ones",
                     ranges_.size());
    }
  } else if (make_kernels()) {
    timeline->note(count +
                       " kernels are known by their counters and have no duration: PyTorch records no times while "
                       "CUPTI's profiler counts",
                   0);
  } else {
    timeline->note(
        "range of CUPTI's profiler whose counters are left out: there are no kernels, and not as many launches",
        ranges_.size());
  }
}

}  // namespace xsp::kineto
