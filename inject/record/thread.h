#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/record/process.h"
#include "inject/record/rooms.h"
#include "inject/record/sampling.h"
#include "proto/shared_memory.h"

namespace xsp::guest {

/// How much of a new ring its thread faults in itself. The sender faults in four times as much (kTouchedGrowth)
/// whenever half of that has been used.
inline constexpr size_t kFirstTouch = size_t{64} * 1024;
inline constexpr size_t kTouchedGrowth = 4;

/// The floors that keep something of their own in a Thread.
enum class ThreadRoom : uint8_t { kCupti, kRanges, kTorch, kPython, kTensorflow, kMxnet, kConcurrency };

/// What one thread needs to record, on pages that a fork wipes: in a child `ring` is null, so that the first hook there
/// calls attach_thread().
struct Thread {
  shm::RingHeader* ring;
  shm::RingHeader* recording_ring;  // the same ring; null inside a model call that is not sampled
  uint64_t
      look_at;  // head of the ring at which find_room() looks again: no room beyond is known of, or work for the sender
  /// Where the ring's next records lie: records[sequence & record_mask]. See inject/record/overflow.h.
  std::atomic<shm::Record*> records;
  std::atomic<uint32_t> record_mask;
  uint32_t ring_index;
  uint32_t handle_base;  // with the depth of a span of the thread, the upper half of its handle (SpanHandle)
  /// See inject/record/hook_times.h. In one cache line with the fields above: a thread that was idle finds it cold.
  uint32_t hooks_until_timed;
  uint32_t hook_random;
  uint32_t clock_ticks;         // between two readings of the clock with nothing in between
  uint64_t longest_hook_ticks;  // longer ones are those in which the thread lost the processor
  uint64_t added_hook_ticks;    // by add_hook_time() since the hook that is being timed began
  uint64_t stretch_begin;       // of the ring's latest stretch
  uint32_t memory;              // of the same, as shm::Stretch has it
  uint64_t touch_at;            // head at which the sender is to fault in more of a new ring
  uint64_t woken_at;            // what the sender had sent + 1 when it was last woken
  uint32_t thread_id;
  /// What the hook that opened the span needs again when it closes it. One span has one hook, so fields may be shared.
  /// `object` and `root` are those of the span with the id `span` only; see is_marked().
  struct Mark {
    const void* object;  // a module
    const void* root;    // the outermost object of the call; of a range: its domain; of an operator: its function
    const void* stack_address;  // of the hook that opened it
    uint64_t allocated_before;  // allocated_bytes when it began, of modules and operators
    union {
      const void* handled;  // the exception that was being handled when it began
      uint64_t forward;     // of an operator: the forward span of backward work, its ring + 1 above its id; 0: none
    };
    union {
      uint32_t root_instance;  // of a range: its level in the domain
      uint32_t correlation;    // of a call of the CUDA API: CUPTI's id, 0 until it is known
    };
    uint32_t span;   // set by hooks that set `object` or `root`, both
    bool has_inner;  // another object's call began inside
    bool is_whole;   // a scripted or compiled module: what it calls inside is part of it
  };
  Mark marks[shm::kMaxOpenSpans];
  ModelCall model_call;
  MeasuredCall measured_call;
  Rooms<ThreadRoom, 104, 256, 32, 32, 56, 48, 64> rooms;  // in the order of ThreadRoom

  /// What a floor above keeps of the thread; see rooms.h.
  template <typename Data>
  Data& of() {
    return rooms.of<Data>();
  }
  template <typename Data>
  const Data& of() const {
    return rooms.of<Data>();
  }

  /// Whether the span in the slot has an object or a root. Slots are not cleared when they are taken: most spans have
  /// neither, and would only touch one more line of memory.
  bool is_marked(uint32_t slot) const {
    return marks[slot].span == ring->open[slot].id.load(std::memory_order_relaxed);
  }
  const void* object_of(uint32_t slot) const { return is_marked(slot) ? marks[slot].object : nullptr; }
  const void* root_of(uint32_t slot) const { return is_marked(slot) ? marks[slot].root : nullptr; }

  /// Depth of the open-span stack, which lies in the shared memory.
  uint32_t depth() const { return ring->depth.load(std::memory_order_relaxed); }
  void set_depth(uint32_t depth) { ring->depth.store(depth, std::memory_order_relaxed); }
};

/// The only thread-local variable: 8 bytes of static TLS.
extern constinit thread_local Thread* this_thread __attribute__((visibility("hidden")));

/// Whether a thread has left the ring, so that another may have it.
bool is_free(const shm::RingHeader& ring);

/// Gives the calling thread a ring, waking the guest if need be. Null when the guest is off or has no ring left; unless
/// `while_paused`, also when it is paused or the thread is inside a model call that is not sampled.
Thread* attach_thread(bool while_paused = false);

/// The calling thread's state, or null when nothing is to be recorded. While the guest is off this costs one load and a
/// branch.
inline Thread* recording_thread() {
  const State now_in = state.load(std::memory_order_relaxed);
  if (__builtin_expect(now_in != State::kOn, 0)) return now_in >= State::kOff ? nullptr : attach_thread();
  Thread* thread = this_thread;
  return __builtin_expect(thread != nullptr && thread->recording_ring != nullptr, 1) ? thread : attach_thread();
}

/// The same for what ends, or belongs to, an open span: not null outside the recording window and the sample either.
inline Thread* ending_thread() {
  if (__builtin_expect(state.load(std::memory_order_relaxed) == State::kOff, 0)) return nullptr;
  Thread* thread = this_thread;
  return thread != nullptr && thread->ring != nullptr ? thread : attach_thread(true);
}

/// The same for a span that holds the recording window open: null inside a model call that is not sampled, but not
/// between sampled calls.
Thread* opening_thread();

/// The calling thread if it has recorded before, else null: for work that is not worth a ring.
inline Thread* known_thread() {
  Thread* thread = this_thread;
  const bool records = state.load(std::memory_order_relaxed) != State::kOff;
  return records && thread != nullptr && thread->ring != nullptr ? thread : nullptr;
}

}  // namespace xsp::guest
