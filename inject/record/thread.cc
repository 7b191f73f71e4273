#include "inject/record/thread.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/guard/signal_guard.h"
#include "inject/record/tracer.h"
#include "inject/record/upward_calls.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

constinit thread_local Thread* this_thread = nullptr;

namespace {

constexpr auto kNoRingLeft = static_cast<size_t>(wire::LossReason::kNoRing);

constinit pthread_key_t exit_key = 0;
constinit std::atomic<bool> exit_key_made{false};

/// A thread that ends leaves its ring to the sender, which empties it, and to a later thread.
void retire_thread(void* argument) {
  auto* thread = static_cast<Thread*>(argument);
  // First: a signal handler that records from here on must not find the ring that is given away.
  this_thread = nullptr;
  upward_calls.thread_ends(*thread);
  if (thread->ring != nullptr && is_sampling.load(std::memory_order_relaxed)) forget_model_call(*thread);
  if (thread->ring != nullptr) {
    abandon_spans(*thread, 0);  // a later thread must find slots without ids
    thread->ring->state.store(static_cast<uint32_t>(shm::RingState::kRetired), std::memory_order_release);
    if (Process* process = awake_process()) process->no_ring_left.store(0, std::memory_order_release);
  }
  release_fork_wiped(thread, sizeof(Thread));
}

bool make_exit_key() {
  if (exit_key_made.load(std::memory_order_acquire)) return true;
  if (pthread_key_create(&exit_key, retire_thread) != 0) return false;
  exit_key_made.store(true, std::memory_order_release);
  return true;
}

/// How many records a retired ring may still hold when it is taken over: its new thread needs room.
constexpr uint64_t kMostLeft = shm::kRingRecords / 2;

/// Whether the ring's thread has left it, and how many of its records the sender has yet to take.
bool is_retired(const shm::RingHeader& ring, uint64_t* left) {
  if (ring.state.load(std::memory_order_acquire) != static_cast<uint32_t>(shm::RingState::kRetired)) return false;
  // `sent` first: the sender may be moving it, and an older value only makes the ring look fuller.
  const uint64_t sent = ring.sent.load(std::memory_order_acquire);
  *left = ring.head.load(std::memory_order_relaxed) - sent;
  return true;
}

void take(shm::RingHeader& ring, uint32_t thread_id) {
  ring.thread.store(thread_id, std::memory_order_relaxed);
  ring.state.store(static_cast<uint32_t>(shm::RingState::kActive), std::memory_order_release);
}

/// Puts a mark after what the earlier thread has left in the ring, if anything: by it the sender and the collector know
/// whose the following records are, and no lock or message is needed.
void take_over(const Process& process, uint32_t index, uint32_t thread_id) {
  shm::RingHeader& ring = *process.ring(index);
  shm::Record mark{};
  mark.id = thread_id;
  mark.record_type = static_cast<uint8_t>(shm::RecordType::kOwner);
  const uint64_t at = take_next(ring.head);
  const uint32_t memory = shm::placement_of(ring, at).memory;
  const Place place{process.region.memory_of(index, memory) + at % shm::records_in(memory), at};
  copy_record(place, &mark);
  commit(place);
  take(ring, thread_id);
}

/// Index of a ring for the thread, or the number of rings when all are taken: an empty one that was used before, else a
/// new one, else the one that has the most room. The caller holds the lock.
uint32_t take_ring(const Process& process, uint32_t thread_id) {
  shm::SharedHeader* header = process.region.header();
  const uint32_t used = header->rings_used.load(std::memory_order_relaxed);
  uint32_t roomiest = header->ring_capacity;
  uint64_t least_left = kMostLeft;
  for (uint32_t index = 0; index < used && least_left > 0; ++index) {
    uint64_t left;
    if (!is_retired(*process.ring(index), &left) || left >= least_left) continue;
    least_left = left;
    roomiest = index;
  }
  if (least_left > 0 && used < header->ring_capacity) {
    shm::RingHeader* ring = process.ring(used);
    // A new ring needs no mark: the sender begins with this thread.
    ring->sent_thread.store(thread_id, std::memory_order_relaxed);
    take(*ring, thread_id);
    // The sender faults the rest in, on its own thread, once it is needed.
    madvise(process.region.memory_of(used, 0), kFirstTouch, MADV_POPULATE_WRITE);
    // Published last: the sender reads rings below this count without a lock.
    header->rings_used.store(used + 1, std::memory_order_release);
    return used;
  }
  if (roomiest < header->ring_capacity) take_over(process, roomiest, thread_id);
  return roomiest;
}

}  // namespace

bool is_free(const shm::RingHeader& ring) {
  uint64_t left;
  return is_retired(ring, &left) && left < kMostLeft;
}

Thread* attach_thread(bool while_paused) {
  if (state.load(std::memory_order_relaxed) == State::kOff) return nullptr;
  if (Thread* known = this_thread; known != nullptr && known->ring != nullptr) {
    return while_paused || !is_muted(*known) ? known : nullptr;
  }
  const auto is_paused = [while_paused] {
    return !while_paused && state.load(std::memory_order_relaxed) == State::kPaused;
  };
  Process* process = awake_process();
  const auto lose_span = [&process] {
    process->region.header()->losses[kNoRingLeft].fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  };
  // Without a ring every hook of the thread comes here: it must not take the lock and search all rings each time.
  if (process != nullptr && process->no_ring_left.load(std::memory_order_acquire) != 0) {
    return is_paused() ? nullptr : lose_span();
  }
  const ErrnoGuard errno_guard;
  // Held before the second look: a signal handler that records attaches the thread, too, and may have done so just now.
  const SignalGuard signal_guard;
  process = wake_process();
  if (process == nullptr || is_paused()) return nullptr;
  if (this_thread != nullptr && this_thread->ring != nullptr) return this_thread;
  const auto thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
  uint32_t index;
  {
    const LockGuard lock(process->lock);
    // Without the key nobody would learn of the thread's end, and its ring would never be free again.
    if (!make_exit_key()) return lose_span();
    index = take_ring(*process, thread_id);
    if (index == process->region.header()->ring_capacity) process->no_ring_left.store(1, std::memory_order_release);
  }
  if (index == process->region.header()->ring_capacity) return lose_span();
  Thread* thread = this_thread;
  if (thread == nullptr) {
    thread = static_cast<Thread*>(allocate_fork_wiped(sizeof(Thread)));
    if (thread == nullptr || pthread_setspecific(exit_key, thread) != 0) {
      if (thread != nullptr) release_fork_wiped(thread, sizeof(Thread));
      process->ring(index)->state.store(static_cast<uint32_t>(shm::RingState::kRetired), std::memory_order_release);
      return lose_span();
    }
  }
  shm::RingHeader* ring = process->ring(index);
  thread->look_at = 0;
  thread->touch_at = kFirstTouch / sizeof(shm::Record) / 2;
  while (thread->touch_at <= ring->head.load(std::memory_order_relaxed)) thread->touch_at *= kTouchedGrowth;
  thread->woken_at = 0;
  thread->ring_index = index;
  thread->handle_base = handle_base_of(index);
  find_places(*thread, *ring, process->region);
  thread->thread_id = thread_id;
  thread->clock_ticks = process->hook_times.clock_ticks;
  thread->longest_hook_ticks = process->hook_times.longest_ticks;
  thread->hook_random = thread_id | 1;
  thread->hooks_until_timed = 1 + thread_id % kHooksPerTimed;
  // From here on hooks of this thread record: everything above must be in place.
  thread->recording_ring = ring;
  thread->ring = ring;
  this_thread = thread;
  wake_sender(*process);
  return thread;
}

Thread* opening_thread() {
  Thread* thread = is_window_open() ? ending_thread() : nullptr;
  return thread == nullptr || is_muted(*thread) ? nullptr : thread;
}

}  // namespace xsp::guest
