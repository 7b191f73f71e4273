#include "inject/cupti/records/activity_flushes.h"

#include <time.h>

#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/records/activity_buffers.h"
#include "inject/cupti/records/activity_control.h"
#include "inject/guard/pause.h"
#include "inject/record/clock.h"

namespace xsp::guest {

void flush_by_force(Session& session) {
  session.is_forcing.store(true, std::memory_order_relaxed);
  session.cupti.activity_flush_all(cupti::kFlushForced);
  session.is_forcing.store(false, std::memory_order_relaxed);
}

void flush_until_all_is_back(Session& session) {
  constexpr uint64_t kLongestNs = 10'000'000;
  const uint64_t deadline = nanoseconds(CLOCK_MONOTONIC) + kLongestNs;
  flush_by_force(session);
  while (buffers_are_out() && nanoseconds(CLOCK_MONOTONIC) < deadline) {
    pause_for(50'000);
    flush_by_force(session);
  }
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
