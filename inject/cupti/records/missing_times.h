#pragma once

#include "inject/cupti/records/activity_buffers.h"
#include "inject/cupti/state/session.h"
#include "proto/shared_memory.h"

namespace xsp::guest {

/// Kernels that have run and to which CUPTI gave no times: behind another profiler's session by some versions
/// (known_faults.h); of graphs where CUPTI's memory on the device has come to its limit (parcagpu#23). The user is
/// told, once. In a buffer of a forced flush they may as well be such that still run; not where what comes behind them
/// in their stream has run.
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
