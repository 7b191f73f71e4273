#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "import/frame/profile_timeline.h"
#include "import/frame/string_pool.h"

namespace xsp::nvprof {

/// Counters from tables without times, which nvprof writes when it replays kernels, for the kernels of a table with
/// times in the same input: the n-th kernel of a name on a device in one is the n-th in the other.
class KernelCounters {
 public:
  /// A kernel of a table with times: its name, device and number in its process.
  void add_kernel(ImportedProcess* process, uint32_t device, std::string_view name, size_t execution);
  /// A kernel of a table with counters, in their order.
  void add_counted(uint32_t pid, uint32_t device, std::string_view name,
                   const std::vector<std::pair<std::string_view, double>>& values);

  bool empty() const { return counted_.empty(); }
  /// Gives the counters to the kernels. Those of another process are used if there is only one, as a program runs twice
  /// to be timed and counted.
  void join(ProfileTimeline* timeline);

 private:
  struct Kernel {
    ImportedProcess* process;
    uint32_t device;
    uint32_t name;
    size_t execution;
  };
  struct Counted {
    uint32_t pid;
    uint32_t device;
    uint32_t name;
    uint32_t values;  // in values_, up to the next kernel's
  };

  StringPool texts_;
  std::vector<Kernel> kernels_;
  std::vector<Counted> counted_;
  std::vector<std::pair<uint32_t, double>> values_;  // metric's text and value
};

}  // namespace xsp::nvprof
