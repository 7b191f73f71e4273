#include "import/nvprof/kernel_counters.h"

#include <map>
#include <tuple>

namespace xsp::nvprof {

void KernelCounters::add_kernel(ImportedProcess* process, uint32_t device, std::string_view name, size_t execution) {
  kernels_.push_back({process, device, texts_.intern(name), execution});
}

void KernelCounters::add_counted(uint32_t pid, uint32_t device, std::string_view name,
                                 const std::vector<std::pair<std::string_view, double>>& values) {
  counted_.push_back({pid, device, texts_.intern(name), static_cast<uint32_t>(values_.size())});
  for (const auto& [metric, value] : values) values_.emplace_back(texts_.intern(metric), value);
}

void KernelCounters::join(ProfileTimeline* timeline) {
  if (counted_.empty()) return;
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  // process, device, name
  struct Same {
    std::vector<const Kernel*> kernels;
    size_t counted = 0;
  };
  std::map<Key, Same> same;
  bool is_one_process = true;
  for (const Kernel& kernel : kernels_) {
    same[{kernel.process->pid(), kernel.device, kernel.name}].kernels.push_back(&kernel);
    is_one_process &= kernel.process == kernels_.front().process;
  }
  uint64_t without_kernel = 0;
  for (size_t i = 0; i < counted_.size(); ++i) {
    const Counted& counted = counted_[i];
    const uint32_t pid = is_one_process && !kernels_.empty() ? kernels_.front().process->pid() : counted.pid;
    const auto found = same.find({pid, counted.device, counted.name});
    if (found == same.end() || found->second.counted == found->second.kernels.size()) {
      ++without_kernel;
      continue;
    }
    const Kernel& kernel = *found->second.kernels[found->second.counted++];
    const size_t end = i + 1 < counted_.size() ? counted_[i + 1].values : values_.size();
    for (size_t value = counted.values; value < end; ++value) {
      kernel.process->add_counter(kernel.execution, texts_.text(values_[value].first), values_[value].second);
    }
  }
  if (without_kernel > 0)
    timeline->note("counters of a kernel that the table with times does not hold", without_kernel);
  uint64_t without_counters = 0;
  for (const auto& [key, kernels] : same) without_counters += kernels.kernels.size() - kernels.counted;
  if (without_counters > 0) timeline->note("kernel without counters, though others have some", without_counters);
}

}  // namespace xsp::nvprof
