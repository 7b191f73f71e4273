#pragma once

#include <cstdint>
#include <string_view>

#include "inject/cupti/state/session.h"

namespace xsp::guest {

/// Changes of a session that has started (session_start.h). They take SessionChange and have taken effect when they
/// return. Where there is no session they do nothing.

/// Hands CUPTI over to another profiler in the program, or stops recording it for a while: what was recorded is
/// flushed, our kinds are disabled, our subscriber leaves. The gap is reported, with `who`.
void pause_session(wire::GapReason reason, std::string_view who);

/// Gets back a buffer that a launch had from us after the session was paused, and in which CUPTI would put the other
/// profiler's records. To be called before that profiler enables its first kind, when its callbacks are registered.
void get_late_buffers_back();

/// Ends the pause of that reason and, when no other one holds, goes on, with callbacks if the subscriber can be had.
/// Never from a thread of the program: CUPTI may be in the middle of a call of its own there. `is_due`, if given, is
/// asked once more under the lock, when nobody else can pause.
void resume_session(wire::GapReason reason, bool (*is_due)() = nullptr);

/// Nanoseconds until a failed resume is to be retried; UINT64_MAX: not by itself. It is retried a bounded number of
/// times, and whenever another profiler leaves.
uint64_t resume_again_in();

/// Our subscriber leaves for that of another profiler: calls come as records from now on.
void give_up_subscriber(std::string_view who);

/// Calls come by callbacks again, if the subscriber can be had. `is_due` as for resume_session, and neither from a
/// thread of the program.
void regain_subscriber(bool (*is_due)());

/// Listens to the recording window: outside of it nothing new is recorded. What still runs is recorded when it ends, as
/// it was launched inside; callbacks stay enabled, whose hooks open no spans meanwhile.
void follow_window();

/// At exit: hands over what was counted (at most five seconds), then has CUPTI hand over all finished records and
/// waits, at most two seconds, until they are in the ring.
void finish_session();

}  // namespace xsp::guest
