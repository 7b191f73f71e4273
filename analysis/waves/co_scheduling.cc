#include "analysis/waves/co_scheduling.h"

#include <algorithm>
#include <cmath>

namespace xsp::analysis {
namespace {

/// Sums of the same latencies in another order differ by rounding.
constexpr double kRounding = 1 + 1e-9;

BoundTerm term_of(SlotResource resource) {
  static constexpr std::array<BoundTerm, kSlotResources> kTerms = {BoundTerm::kWarps, BoundTerm::kRegisters,
                                                                   BoundTerm::kSharedMemory, BoundTerm::kBlocks};
  return kTerms[static_cast<size_t>(resource)];
}

}  // namespace

std::string_view name_of(BoundTerm term) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "", "critical path", "warps", "registers", "shared memory", "block slots", "memory bandwidth", "longest kernel"};
  return kNames[static_cast<size_t>(term)];
}

void ScheduleSums::add(const CoSchedule& schedule, const ScheduledKernel& kernel) {
  const LaunchNeeds& needs = schedule.launches[kernel.launch];
  const PackedDevice& device = schedule.devices[needs.device];
  if (devices_.size() <= needs.device) devices_.resize(needs.device + 1);
  OfDevice& sums = devices_[needs.device];
  ++kernels_;
  serial_ns_ += kernel.latency_ns;
  longest_ns_ = std::max(longest_ns_, kernel.latency_ns);
  if (needs.blocks_per_sm == 0) {
    ++unknown_;
    unknown_ns_ += kernel.latency_ns;
  } else {
    const auto use = slot_use(needs, device);
    for (size_t i = 0; i < kSlotResources; ++i) sums.work_ns[i] += kernel.latency_ns * use[i];
  }
  memory_known_ = memory_known_ && !std::isnan(kernel.dram_bytes) && device.bytes_per_second > 0;
  if (memory_known_) sums.memory_ns += kernel.dram_bytes / device.bytes_per_second * 1e9;
}

ScheduleSums::Work ScheduleSums::work() const {
  Work most;
  for (const OfDevice& device : devices_) {
    for (size_t i = 0; i < kSlotResources; ++i) {
      if (device.work_ns[i] > most.ns) most = {device.work_ns[i], static_cast<SlotResource>(i)};
    }
  }
  return most;
}

std::optional<double> ScheduleSums::memory_ns() const {
  if (!memory_known_ || kernels_ == 0) return {};
  double most = 0;
  for (const OfDevice& device : devices_) most = std::max(most, device.memory_ns);
  return most;
}

CoSchedulingBound bound_of(const ScheduleSums& sums, const std::optional<double>& critical_ns) {
  CoSchedulingBound bound;
  const auto consider = [&](double ns, BoundTerm term) {
    if (ns > bound.ns * kRounding) {
      bound.ns = ns;
      bound.limited_by = term;
    }
  };
  if (critical_ns) consider(*critical_ns, BoundTerm::kCriticalPath);
  consider(sums.longest_ns(), BoundTerm::kLongestKernel);
  const ScheduleSums::Work work = sums.work();
  consider(work.ns, term_of(work.resource));
  if (const auto memory = sums.memory_ns()) {
    bound.memory_is_too_long = *memory > sums.serial_ns() * kRounding;
    if (!bound.memory_is_too_long) consider(*memory, BoundTerm::kMemory);
  }
  bound.ns = std::min(bound.ns, sums.serial_ns());
  return bound;
}

double gain_pct(double serial_ns, double bound_ns) {
  return bound_ns > 0 ? std::max(0.0, (serial_ns / bound_ns - 1) * 100) : 0;
}

std::optional<double> critical_path_ns(const CoSchedule& schedule) {
  const size_t groups = schedule.after.size();
  std::vector<double> own(groups);
  double longest = 0;
  for (const ScheduledKernel& kernel : schedule.kernels) {
    if (kernel.group == kNoKernelGroup) {
      longest = std::max(longest, kernel.latency_ns);
    } else {
      own[kernel.group] += kernel.latency_ns;
    }
  }
  std::vector<uint32_t> waiting(groups);
  std::vector<std::vector<uint32_t>> next(groups);
  for (uint32_t group = 0; group < groups; ++group) {
    for (const uint32_t before : schedule.after[group]) next[before].push_back(group);
    waiting[group] = static_cast<uint32_t>(schedule.after[group].size());
  }
  std::vector<double> begin(groups);
  std::vector<uint32_t> ready;
  for (uint32_t group = 0; group < groups; ++group) {
    if (waiting[group] == 0) ready.push_back(group);
  }
  size_t done = 0;
  while (!ready.empty()) {
    const uint32_t group = ready.back();
    ready.pop_back();
    ++done;
    const double end = begin[group] + own[group];
    longest = std::max(longest, end);
    for (const uint32_t follower : next[group]) {
      begin[follower] = std::max(begin[follower], end);
      if (--waiting[follower] == 0) ready.push_back(follower);
    }
  }
  if (done != groups) return {};
  return longest;
}

}  // namespace xsp::analysis
