#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "import/frame/profile_timeline.h"
#include "import/tensorflow/xplane.h"

namespace xsp {

/// The planes of the host: threads with what was traced on them.
///
/// - A step that the program marked (an event with `step_num`) is a model span. Without any, in a profile with kernels
///   the calls of compiled functions and of sessions are (PjitFunction(f), SessionRun), and in one of a CPU each run of
///   a program of XLA, from the begin of its first operation to the end of its last one.
/// - Operations of XLA that a CPU ran (events with `hlo_op`) are executed nodes, on the threads of a pool.
/// - Nodes of TensorFlow ("dense/MatMul:MatMul") are operators.
/// - Calls of the CUDA API have a correlation id.
/// - "$file.py:12 f" is a call of a Python function.
class XplaneHosts {
 public:
  explicit XplaneHosts(ProfileTimeline* timeline) : timeline_(timeline) {}

  void add_plane(const XPlane& plane, uint32_t process, uint64_t* damaged, uint64_t* aggregated);
  /// Adds what depends on the whole profile.
  void finish(bool has_kernels);

  uint64_t spans() const { return spans_; }
  /// Begin of the earliest event.
  int64_t first_ns() const { return first_ns_; }

 private:
  /// A run of a program of XLA on a device of the host.
  struct Run {
    int64_t begin_ns;
    int64_t end_ns;
    std::vector<ImportedSpanId> operations;
  };
  struct Call {
    uint32_t process;
    ImportedSpanId span;
  };

  void add_event(const XEvent& event, ImportedProcess& process, uint32_t thread);
  void add_operation(const XEvent& event, ImportedProcess& process, uint32_t thread, ImportedSpan span);

  ProfileTimeline* timeline_;
  std::map<std::tuple<uint32_t, std::string, int64_t, int64_t>, Run> runs_;  // process, program, device, run
  std::vector<Call> calls_;
  bool has_steps_ = false;
  uint64_t spans_ = 0;
  uint64_t marks_ = 0;
  int64_t first_ns_ = INT64_MAX;
};

}  // namespace xsp
