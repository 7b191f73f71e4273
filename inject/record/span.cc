#include "inject/record/span.h"

#include <time.h>

#include <algorithm>

#include "inject/guard/errno_guard.h"
#include "inject/guard/pause.h"

namespace xsp::guest {
namespace {

/// Places that stay free when the ring counts as full: for signal handlers that record between the check for room and
/// the record that it was for.
constexpr uint64_t kSpare = shm::kMaxUnfinished;
/// How full the ring is when the sender is woken. The sender comes by itself long before (kRecordsARound), so fewer
/// than one span in ten thousand must look at `sent`, whose cache line the sender writes.
constexpr uint64_t kWakeAt = uint64_t{shm::kRingRecords} / 4 * 3;

void wake_sender_again(Thread& thread, uint64_t sent) {
  if (thread.woken_at == sent + 1) return;  // it has been woken for this and has not sent anything since
  Process* process = awake_process();
  if (process == nullptr) return;
  thread.woken_at = sent + 1;
  wake_sender(*process);
}

/// Whether there is room in the memory that the thread's records go to. Also sets `look_at`, up to which records need
/// neither a look nor a system call.
bool look_here(Thread& thread, uint32_t records) {
  const uint64_t sent = thread.ring->sent.load(std::memory_order_acquire);
  const uint64_t head = thread.ring->head.load(std::memory_order_relaxed);
  const uint64_t full = sent + shm::records_in(thread.memory) - kSpare;
  thread.look_at = full;
  if (head < sent + kWakeAt) {
    thread.look_at = sent + kWakeAt;
  } else {
    wake_sender_again(thread, sent);
    // In an overflow area there is room for longer than that, but it is to be left when the sender has caught up.
    if (thread.memory != 0) thread.look_at = std::min(full, head + kWakeAt);
  }
  if (thread.touch_at < shm::kRingRecords / 2) {
    if (head >= thread.touch_at) {
      // Signal handlers, or arguments of a call, may have passed more than one step.
      while (thread.touch_at <= head) thread.touch_at *= kTouchedGrowth;
      if (Process* process = awake_process()) wake_sender(*process);
    }
    thread.look_at = std::min(thread.look_at, thread.touch_at);
  }
  return head + records <= full;
}

/// Also leaves the overflow area, or takes one.
bool look_for_room(Thread& thread, uint32_t records) {
  Process* process = awake_process();
  if (process != nullptr && thread.memory != 0) return_to_ring(thread, *process);
  if (look_here(thread, records)) return true;
  return process != nullptr && spill(thread, *process) && look_here(thread, records);
}

/// --on-full=block: waits until the ring has room, or nobody is left to empty it.
bool wait_for_room(Thread& thread, uint32_t records, Process& process) {
  const ErrnoGuard errno_guard;
  while (!look_for_room(thread, records)) {
    if (process.sender_running.load(std::memory_order_relaxed) == 0) return false;
    wake_sender(process);
    pause_for(50'000);
  }
  return true;
}

}  // namespace

uint32_t first_span_id_again(shm::RingHeader* ring) {
  uint32_t id;
  do {
    id = take_next(ring->next_id) + 1;
  } while (id == 0 || id == shm::kClosedSlot);
  // A mark of long ago must not become that of a span that gets the same id.
  for (uint32_t slot = 0; this_thread != nullptr && this_thread->ring == ring && slot < shm::kMaxOpenSpans; ++slot) {
    if (slot >= this_thread->depth() || !this_thread->is_marked(slot)) this_thread->marks[slot].span = 0;
  }
  return id;
}

void drop_closed_slots_from(Thread& thread, uint32_t depth) {
  while (shm::innermost(thread.ring, depth)->id.load(std::memory_order_relaxed) == shm::kClosedSlot) {
    thread.ring->open[depth - 1].id.store(0, std::memory_order_relaxed);
    keep_order();
    thread.set_depth(--depth);
  }
}

bool find_room(Thread& thread, uint32_t records) {
  if (look_for_room(thread, records)) return true;
  Process* process = awake_process();
  return process != nullptr && process->settings.on_full == OnFull::kBlock && wait_for_room(thread, records, *process);
}

bool make_room(Thread& thread, uint64_t begin, uint64_t end) {
  if (find_room(thread, 1)) return true;
  // When spans were lost, not only how many: the report says which time the numbers are short for.
  if (take_next(thread.ring->dropped) == 0) {
    thread.ring->first_drop.store(begin, std::memory_order_relaxed);
  }
  thread.ring->last_drop.store(end, std::memory_order_relaxed);
  return false;
}

}  // namespace xsp::guest
