#pragma once

#include <cstdint>

#include "inject/cupti/records/activity_control.h"
#include "inject/cupti/state/session.h"

namespace xsp::guest {

/// The thread xsp-activity: takes the buffers that CUPTI has returned, turns their records into those of its own ring,
/// and has CUPTI return what is finished from time to time, so that little is lost with a process that is killed. It
/// waits for room in the ring, which costs nobody's time but its own. activity_control.h wakes it.

/// Starts it, once. It calls `settle` in each of its rounds. False when no thread could be started.
bool start_activity_thread(Session& session, SettleDuty* settle);

/// Has CUPTI return all buffers and waits, at most this long, until their records are in the ring and the clock
/// readings on their way. For the end of the process; nothing is flushed afterwards.
void finish_activities(uint64_t nanoseconds);

}  // namespace xsp::guest
