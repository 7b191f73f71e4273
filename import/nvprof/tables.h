#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/seeded_hash.h"
#include "import/frame/profile_timeline.h"
#include "import/nvprof/columns.h"
#include "import/nvprof/kernel_counters.h"

namespace xsp::nvprof {

/// Adds the rows of nvprof's tables to a timeline: executions, API calls, and counters.
class Tables {
 public:
  explicit Tables(ProfileTimeline* timeline) : timeline_(*timeline) {}

  /// The rows that follow belong to that process, and to a table of their own.
  void begin_table(uint32_t pid);
  void set_program(uint32_t pid, std::string_view name);
  /// Not ok, with the reason, for a row that is not used.
  Status add(const Columns& columns, const std::vector<std::string>& row);

  bool has_times() const { return has_times_; }
  bool has_counters() const { return !counters_.empty(); }
  /// Once, after all rows: assigns counters to kernels, and puts tables on one clock.
  void finish();

 private:
  /// Calls of one table and process.
  struct Calls {
    uint32_t table;
    uint32_t first;  // number of the span
    uint32_t count;
  };
  struct Execution {
    int64_t begin_ns;
    uint32_t table;
  };
  /// An NVTX range that has not ended yet.
  struct Range {
    std::string name;
    int64_t begin_ns;
    uint32_t table;
  };
  struct Process {
    ImportedProcess* imported = nullptr;
    std::vector<Range> open;
    std::vector<Calls> calls;
    std::unordered_map<uint32_t, Execution, SeededHash> executions;  // the first of each correlation id
    std::vector<uint32_t> devices;
  };

  Process& process();
  Status add_call(const Columns& columns, const std::vector<std::string>& row, std::string_view name, int64_t begin,
                  int64_t end);
  Status add_mark(std::string_view name, int64_t time);
  void add_to_table(Process& owner, const ImportedSpan& span);
  Status add_execution(const Columns& columns, const std::vector<std::string>& row, std::string_view name,
                       int64_t begin, int64_t end);
  void add_device(Process& owner, std::string_view text, uint32_t index);
  Status add_counters(const Columns& columns, const std::vector<std::string>& row, std::string_view name);
  void align(Process& process);

  ProfileTimeline& timeline_;
  std::map<uint32_t, Process> processes_;
  std::map<uint32_t, std::string> programs_;
  KernelCounters counters_;
  uint32_t pid_ = 0;
  uint32_t table_ = 0;
  bool has_times_ = false;
};

}  // namespace xsp::nvprof
