#include "inject/cupti/activity_flushes.h"

#include "inject/cupti/activity_abi.h"

namespace xsp::guest {

void flush_by_force(Session& session) {
  session.is_forcing.store(true, std::memory_order_relaxed);
  session.cupti.activity_flush_all(cupti::kFlushForced);
  session.is_forcing.store(false, std::memory_order_relaxed);
}

void count_dropped_records(const Session& session) {
  size_t dropped = 0;
  if (session.cupti.activity_get_num_dropped_records(nullptr, 0, &dropped) != cupti::kSuccess || dropped == 0) return;
  count_lost_activities(wire::LossReason::kActivity, dropped);
}

}  // namespace xsp::guest
