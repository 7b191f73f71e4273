#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/waves/slot_use.h"

namespace xsp::analysis {

/// How much faster independent kernels could be if they ran side by side, after Ma et al., "Rammer: Enabling Holistic
/// Deep Learning Compiler Optimizations with rTasks" (OSDI 2020). doc/waves.md has the terms.

/// Its order among the others is not known.
inline constexpr uint32_t kNoKernelGroup = UINT32_MAX;

struct ScheduledKernel {
  double latency_ns = 0;  // where kernels overlap only its share of the time
  double dram_bytes = std::numeric_limits<double>::quiet_NaN();
  uint32_t launch = 0;              // index of CoSchedule::launches
  uint32_t group = kNoKernelGroup;  // kernels of one group run in their order
};

/// Which groups wait for which. `after` may name groups without kernels.
using GroupOrder = std::vector<std::vector<uint32_t>>;

/// The kernels of a model, in order of their launches, and what they run on.
struct CoSchedule {
  std::vector<PackedDevice> devices;
  std::vector<LaunchNeeds> launches;  // each configuration once
  std::vector<ScheduledKernel> kernels;
  GroupOrder after;  // by group
};

/// What keeps kernels from being faster side by side.
enum class BoundTerm : uint8_t {
  kNone,
  kCriticalPath,
  kWarps,
  kRegisters,
  kSharedMemory,
  kBlocks,
  kMemory,
  kLongestKernel
};
/// "critical path", "registers", "memory bandwidth", …; empty: none.
std::string_view name_of(BoundTerm term);

/// Sums over some kernels of a schedule. The terms are of the device that has most to do.
class ScheduleSums {
 public:
  void add(const CoSchedule& schedule, const ScheduledKernel& kernel);

  double serial_ns() const { return serial_ns_; }
  /// Of kernels whose needs are not known: they add nothing to the work.
  double unknown_ns() const { return unknown_ns_; }
  size_t unknown() const { return unknown_; }
  size_t kernels() const { return kernels_; }
  /// Side by side no kernel takes less than alone.
  double longest_ns() const { return longest_ns_; }

  struct Work {
    double ns = 0;
    SlotResource resource = SlotResource::kWarps;
  };
  /// The most that any resource is needed for: Σ latency·use.
  Work work() const;
  /// Σ DRAM bytes / bandwidth; nothing unless all are known.
  std::optional<double> memory_ns() const;

 private:
  struct OfDevice {
    std::array<double, kSlotResources> work_ns = {};
    double memory_ns = 0;
  };
  std::vector<OfDevice> devices_;
  double serial_ns_ = 0;
  double longest_ns_ = 0;
  double unknown_ns_ = 0;
  size_t unknown_ = 0;
  size_t kernels_ = 0;
  bool memory_known_ = true;
};

/// No order of the kernels takes less than `ns`.
struct CoSchedulingBound {
  double ns = 0;
  BoundTerm limited_by = BoundTerm::kNone;
  bool memory_is_too_long = false;  // longer than the kernels ran: the bytes or the bandwidth are wrong, and left out
};
/// The largest of the terms; the first of equal ones. At most the serial time, and at least the longest kernel.
CoSchedulingBound bound_of(const ScheduleSums& sums, const std::optional<double>& critical_ns);

/// (serial / bound − 1) · 100; 0 where nothing runs.
double gain_pct(double serial_ns, double bound_ns);

/// The longest path through groups, each as long as its kernels; a kernel without a group is a path of its own. Nothing
/// where groups wait for each other in a circle.
std::optional<double> critical_path_ns(const CoSchedule& schedule);

}  // namespace xsp::analysis
