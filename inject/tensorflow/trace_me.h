#pragma once

#include <cstdint>
#include <string_view>

namespace xsp::guest {

/// TensorFlow's own profiler is told by TraceMe: objects that have a name and two times, and give them to
/// TraceMeRecorder::Record where the level that is recorded is theirs. While the guest has set that level, what they
/// give is handed to it and not kept. A profiler that the program starts meanwhile takes its place, and the guest looks
/// on.

/// Called with an event's name and its times, in ns of CLOCK_REALTIME, on the thread that ends it.
using TraceMeListener = void (*)(std::string_view name, int64_t begin, int64_t end);

/// Puts the hooks into place, once for the process. False if this TensorFlow has no such functions, or its events are
/// not as they are expected, which a notice says: each text must end where its size says, and each time be of now.
bool listen_to_trace_me(TraceMeListener listener);

/// The present time, by the clock of the events.
int64_t trace_me_now();

/// Sets the level unless the program's profiler has, and sets it back.
void switch_trace_me_on();
void switch_trace_me_off();

}  // namespace xsp::guest
