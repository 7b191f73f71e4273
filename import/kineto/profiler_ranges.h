#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/frame/profile_timeline.h"
#include "import/frame/string_pool.h"
#include "import/kineto/profiler_event.h"

namespace xsp::kineto {

/// Ranges of CUPTI's profiler, which PyTorch writes when given `profiler_metrics`: one per kernel, in launch order,
/// with the kernel's name and the values of the metrics. The times of a range are made up (the recording, divided by
/// the ranges) and show only its ordinal.
///
/// While counting, PyTorch records no kernels, only their launches. Then the ranges become the kernels: without
/// duration, at the end of the call that launched them.
class ProfilerRanges {
 public:
  void add(const ProfilerEvent& event);
  size_t size() const { return ranges_.size(); }

  /// A call that launches a kernel, of any process; calls come in any order.
  void add_launch(const ProfilerEvent& event, ImportedProcess* process);
  /// Gives the counters to the kernels of `home`, or turns the ranges into kernels if it has none. What was done, or
  /// why nothing was, becomes a note.
  void give(ImportedProcess* home, ProfileTimeline* timeline);

 private:
  struct Range {
    int64_t begin_ns;
    uint32_t device;
    uint32_t name;
    size_t first_value;  // in values_, up to the next range's
    size_t values;
  };
  struct Launch {
    int64_t end_ns;
    int64_t correlation;
    ImportedProcess* process;
  };

  bool give_to_kernels(ImportedProcess* home) const;
  bool make_kernels();
  void add_counters(const Range& range, size_t execution, ImportedProcess* process) const;

  StringPool texts_;
  std::vector<Range> ranges_;
  std::vector<std::pair<uint32_t, double>> values_;  // metric and value
  std::vector<Launch> launches_;
};

}  // namespace xsp::kineto
