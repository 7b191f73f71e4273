#pragma once

#include <cstdint>

#include "inject/cupti/session.h"

namespace xsp::guest {

/// The thread xsp-activity: takes the buffers that CUPTI has returned, turns their records into those of its own ring,
/// and has CUPTI return what is finished from time to time, so that little is lost with a process that is killed. It
/// waits for room in the ring, which costs nobody's time but its own.

/// Starts it. False when there is none to be had.
bool start_activity_thread(Session& session);

/// Whether it is one of the process's threads.
bool activity_thread_runs();

/// There is something to do. Cheap when it is awake.
void wake_activity_thread();

/// A call of the CUDA API was seen, which may have launched something: what it launched is asked for until it must have
/// run, whether CUPTI has asked for a buffer or not. A load where that is known already.
void note_cuda_call();

/// Has CUPTI return all buffers and waits until their records are in the ring and the readings of the clock on their
/// way, at most so long. For the end of the process; nothing is flushed afterwards.
void finish_activities(uint64_t nanoseconds);

/// Held while the session changes, and while the thread has CUPTI flush. Waits a bounded time: who holds it may be
/// inside CUPTI, which may wait for the caller.
class SessionChange {
 public:
  SessionChange();
  ~SessionChange();
  SessionChange(const SessionChange&) = delete;
  SessionChange& operator=(const SessionChange&) = delete;

 private:
  bool held_;
};

}  // namespace xsp::guest
