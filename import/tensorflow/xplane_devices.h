#pragma once

#include <cstdint>

#include "import/frame/profile_timeline.h"
#include "import/tensorflow/xplane.h"

namespace xsp {

/// The number in the name of a GPU's plane, "/device:GPU:0"; -1: it is not one.
int gpu_of_plane(std::string_view name);

/// Adds the plane of a GPU: its properties, and what its streams executed. Lines that XLA's profiler derived from them
/// (steps, modules, operations) are left out. https://github.com/openxla/xla: xla/backends/profiler/gpu/
/// cupti_collector.cc, xla/tsl/profiler/utils/xplane_schema.cc.
class XplaneDevices {
 public:
  explicit XplaneDevices(ProfileTimeline* timeline) : timeline_(timeline) {}

  void add_plane(const XPlane& plane, uint32_t process, uint64_t* damaged, uint64_t* aggregated);
  void finish();

  uint64_t executions() const { return executions_; }
  int64_t first_ns() const { return first_ns_; }

 private:
  void add_device(const XPlane& plane, uint32_t index, ImportedProcess& process);
  void add_event(const XEvent& event, uint32_t device, uint32_t stream, ImportedProcess& process);

  ProfileTimeline* timeline_;
  uint64_t executions_ = 0;
  uint64_t derived_lines_ = 0;
  uint64_t estimates_ = 0;
  int64_t first_ns_ = INT64_MAX;
};

}  // namespace xsp
