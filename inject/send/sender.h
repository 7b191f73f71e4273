#pragma once

#include "inject/record/process.h"

namespace xsp::guest {

/// Connects to the collector without waiting and sends Hello with the shared memory's descriptor, which is closed here.
/// False when nobody listens.
bool connect_and_greet(Process& process);

/// Tells the collector, over a connection of its own, why this process cannot be recorded, or not to its end.
void say_why_off(Process& process, const char* why);

/// Starts the thread that turns records into packets: it comes when, at the present rate, the fullest ring holds an
/// eighth of its records, between 0.1 ms and 20 ms after the last round (up to 100 ms where model calls are sampled),
/// and less often while nothing is recorded. A thread whose ring is three quarters full wakes it. All signals are
/// blocked in it. If the thread cannot be started, records stay in the rings, where the collector finds them at the
/// end.
void start_sender(Process& process);

/// Has everything that was recorded so far sent, and then the goodbye; waits at most two seconds.
void stop_sender(Process& process);

}  // namespace xsp::guest
