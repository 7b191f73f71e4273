#include "inject/cupti/records/activity_flushes.h"

#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/records/activity_control.h"

namespace xsp::guest {

void flush_by_force(Session& session) {
  session.is_forcing.store(true, std::memory_order_relaxed);
  session.cupti.activity_flush_all(cupti::kFlushForced);
  session.is_forcing.store(false, std::memory_order_relaxed);
}

void flush_before_context_ends() {
  Session* session = device_session();
  if (session == nullptr || !activity_thread_runs()) return;
  const SessionChange change;
  if (is_recording(session->mode.load(std::memory_order_acquire))) session->cupti.activity_flush_all(0);
}

void count_dropped_records(const Session& session) {
  size_t dropped = 0;
  if (session.cupti.activity_get_num_dropped_records(nullptr, 0, &dropped) != cupti::kSuccess || dropped == 0) return;
  count_lost_activities(wire::LossReason::kActivity, dropped);
}

}  // namespace xsp::guest
