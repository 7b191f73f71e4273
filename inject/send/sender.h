#pragma once

#include "inject/record/process.h"

namespace xsp::guest {

/// Connects to the collector without waiting and sends Hello with the shared memory's descriptor, which is closed here.
/// False when nobody listens.
bool connect_and_greet(Process& process);

/// Tells the collector, over a connection that ends with it, why this process cannot be recorded, or not to its end.
void say_why_off(Process& process, const char* why);

/// Starts the thread that turns records into packets: it wakes when a ring is a quarter full and otherwise every 20 ms,
/// or less often while nothing is recorded. All signals are blocked in it. Without the thread (none to be had) records
/// stay in the rings, where the collector finds them at the end.
void start_sender(Process& process);

/// Has everything recorded so far sent and the goodbye said; waits at most two seconds.
void stop_sender(Process& process);

}  // namespace xsp::guest
