#include "inject/cupti/records/missing_times.h"

#include "inject/cupti/library/known_faults.h"
#include "inject/cupti/state/other_profiler.h"
#include "inject/cupti/state/session_notices.h"

namespace xsp::guest {

void MissingTimes::without_times(const shm::ActivityRecord& activity, const CompletedBuffer& buffer) {
  if (!buffer.forced) return tell(activity);
  if (!has_doubtful_) doubtful_ = activity;
  has_doubtful_ = true;
}

void MissingTimes::with_times(const shm::ActivityRecord& activity) {
  if (!has_doubtful_ || activity.stream != doubtful_.stream || activity.context != doubtful_.context) return;
  has_doubtful_ = false;
  tell(doubtful_);
}

void MissingTimes::tell(const shm::ActivityRecord& activity) {
  constexpr uint32_t kTellingNumber = 10;
  if (other_profiler_was_there()) return tell_cupti_fault(session_.version, CuptiFault::kZeroTimes);
  if (activity.graph != 0 && ++kernels_of_graphs_ == kTellingNumber) tell_graphs_without_times();
}

}  // namespace xsp::guest
