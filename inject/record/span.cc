#include "inject/record/span.h"

#include <time.h>

#include "inject/guard/errno_guard.h"
#include "inject/send/sender.h"

namespace xsp::guest {
namespace {

bool has_room(Thread& thread) {
  thread.sent_seen = thread.ring->sent.load(std::memory_order_acquire);
  return thread.head - thread.sent_seen < shm::kRingRecords;
}

/// --on-full=block: waits while somebody empties the ring.
bool wait_for_room(Thread& thread, Process& process) {
  const ErrnoGuard errno_guard;
  while (!has_room(thread)) {
    if (process.sender_running.load(std::memory_order_relaxed) == 0) return false;
    wake_sender(process);
    const timespec pause{0, 50'000};
    nanosleep(&pause, nullptr);
  }
  return true;
}

}  // namespace

bool publish_when_full(Thread& thread, const shm::Record& record) {
  bool room = has_room(thread);
  Process* process = awake_process();
  if (!room && process != nullptr && process->settings.on_full == OnFull::kBlock) {
    room = wait_for_room(thread, *process);
  }
  if (room) {
    store_record(thread, record);
    return true;
  }
  if (thread.ring->dropped.fetch_add(1, std::memory_order_relaxed) == 0) {
    thread.ring->first_drop.store(record.begin, std::memory_order_relaxed);
  }
  thread.ring->last_drop.store(record.end, std::memory_order_relaxed);
  return false;
}

void wake_sender_of_quarter_full_ring() {
  if (Process* process = awake_process()) wake_sender(*process);
}

}  // namespace xsp::guest
