#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collector/writing/trace_fields.h"

namespace xsp {

/// xsp.Loss.Reason, as named in the collector's status and log.
inline constexpr const char* kLossReasonNames[kLossReasons] = {
    "UNSPECIFIED", "RING_FULL", "NO_RING",  "TOO_DEEP",    "STRINGS_FULL", "CORRUPT", "DISK_FULL",  "PROFILE_FILE",
    "ACTIVITY",    "ZERO_TIME", "INVERTED", "GRAPH_NODES", "COUNTERS",     "REMOVED", "NOT_COUNTED"};

/// Losses by xsp.Loss.Reason. The guest reports totals, the collector adds its own losses.
class LossTable {
 public:
  struct Entry {
    uint64_t count = 0;
    std::string detail;
    uint64_t first_ns = 0;
    uint64_t last_ns = 0;
  };

  /// A total reported by the guest, in a packet or the shared memory; the larger one counts. Unknown reasons are kept
  /// under kUnspecified.
  void report_total(uint32_t reason, uint64_t count, std::string_view detail, uint64_t first_ns, uint64_t last_ns);
  /// Adds losses of the collector's own.
  void add(LossReason reason, uint64_t count, std::string_view detail);
  /// Reported and own losses together; count 0: nothing was lost.
  Entry total(LossReason reason) const;

 private:
  std::array<Entry, kLossReasons> reported_;
  std::array<Entry, kLossReasons> own_;
};

/// What the collector reports at the end, gathered over all processes.
struct Summary {
  struct Notice {
    Severity severity;
    std::string component;
    std::string text;
    bool operator==(const Notice&) const = default;
  };

  uint32_t processes = 0;
  /// Processes that ended without a goodbye.
  uint32_t killed = 0;
  uint64_t recovered = 0;
  /// Kernels, copies and memsets, and how many of them lack a launch.
  uint64_t executions = 0;
  uint64_t unmatched_executions = 0;
  std::array<uint64_t, kLossReasons> losses{};
  std::array<std::string, kLossReasons> loss_details;
  /// CPU time used by XSP in the processes, and by the processes as a whole, as they measured it; 0: not known.
  uint64_t overhead_ns = 0;
  uint64_t measured_cpu_ns = 0;
  std::vector<Notice> notices;

  /// Keeps each notice once. False if it was there already, or there are too many.
  bool add_notice(Severity severity, std::string_view component, std::string_view text);
  void add_loss(LossReason reason, uint64_t count, std::string_view detail);
};

}  // namespace xsp
