#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/frame/profile_timeline.h"
#include "import/frame/string_pool.h"
#include "import/kineto/profiler_event.h"

namespace xsp::kineto {

/// Ranges of CUPTI's profiler, which PyTorch writes when it is given `profiler_metrics`: one for each kernel, in the
/// order in which they were launched, with the kernel's name and the values of the metrics. The times of a range are
/// made up (the recording, divided by the ranges) and tell its turn alone.
///
/// While it counts, PyTorch records no kernels, only their launches. Then the ranges are the kernels: without duration,
/// at the end of the call that launched them.
class ProfilerRanges {
 public:
  void add(const ProfilerEvent& event);
  size_t size() const { return ranges_.size(); }

  /// A call that launches a kernel, of the only process or another; calls come in any order.
  void add_launch(const ProfilerEvent& event, ImportedProcess* process);
  /// Gives the counters to the kernels of `home`, or makes these of the ranges where it has none. What was done, or why
  /// nothing was, becomes a note.
  void give(ImportedProcess* home, ProfileTimeline* timeline);

 private:
  struct Range {
    int64_t begin_ns;
    uint32_t device;
    uint32_t name;
    size_t first_value;  // in values_, up to that of the next one
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
