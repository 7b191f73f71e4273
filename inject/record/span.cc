#include "inject/record/span.h"

#include <time.h>

#include "inject/guard/errno_guard.h"
#include "inject/send/sender.h"

namespace xsp::guest {
namespace {

bool look_for_room(Thread& thread, uint32_t records) {
  thread.sent_seen = thread.ring->sent.load(std::memory_order_acquire);
  return thread.head - thread.sent_seen + records <= shm::kRingRecords;
}

/// --on-full=block: waits while somebody empties the ring.
bool wait_for_room(Thread& thread, uint32_t records, Process& process) {
  const ErrnoGuard errno_guard;
  while (!look_for_room(thread, records)) {
    if (process.sender_running.load(std::memory_order_relaxed) == 0) return false;
    wake_sender(process);
    const timespec pause{0, 50'000};
    nanosleep(&pause, nullptr);
  }
  return true;
}

}  // namespace

bool find_room(Thread& thread, uint32_t records) {
  if (look_for_room(thread, records)) return true;
  Process* process = awake_process();
  return process != nullptr && process->settings.on_full == OnFull::kBlock && wait_for_room(thread, records, *process);
}

bool make_room(Thread& thread, uint64_t begin, uint64_t end) {
  if (find_room(thread, 1)) return true;
  if (thread.ring->dropped.fetch_add(1, std::memory_order_relaxed) == 0) {
    thread.ring->first_drop.store(begin, std::memory_order_relaxed);
  }
  thread.ring->last_drop.store(end, std::memory_order_relaxed);
  return false;
}

void wake_sender_of_quarter_full_ring() {
  if (Process* process = awake_process()) wake_sender(*process);
}

}  // namespace xsp::guest
