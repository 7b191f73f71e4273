#pragma once

#include "inject/cupti/records/activity_buffers.h"
#include "inject/cupti/state/session.h"
#include "proto/shared_memory.h"

namespace xsp::guest {

/// Kernels that have run but got no times from CUPTI; the user is told once. Some versions lose times after another
/// profiler's session (known_faults.h); for kernels of graphs CUPTI's memory on the device may be full (parcagpu#23). A
/// kernel without times in a buffer of a forced flush may still be running; it has run if a later one of its stream
/// has.
class MissingTimes {
 public:
  explicit MissingTimes(const Session& session) : session_(session) {}

  void begin_buffer() { has_doubtful_ = false; }
  void without_times(const shm::ActivityRecord& activity, const CompletedBuffer& buffer);
  void with_times(const shm::ActivityRecord& activity);

 private:
  void tell(const shm::ActivityRecord& activity);

  const Session& session_;
  bool has_doubtful_ = false;
  shm::ActivityRecord doubtful_{};
  uint32_t kernels_of_graphs_ = 0;
};

}  // namespace xsp::guest
