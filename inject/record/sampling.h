#pragma once

#include <atomic>
#include <cstdint>

#include "inject/guard/settings.h"
#include "inject/guard/spin_lock.h"
#include "inject/record/call_costs.h"
#include "proto/shared_memory.h"

namespace xsp::guest {

struct Process;
struct Thread;

/// Which model calls are recorded with what happens inside (doc/continuous.md). The unit is the outermost model call of
/// a thread: a root module, a run of a session, a span of level model of the C API.
///
/// Of a call that is not sampled the span alone is recorded, as shallow, and its thread is muted meanwhile
/// (Thread::recording_ring). Threads outside of model calls follow the process: hooks are paused unless a sampled call
/// is open, and go on behind one until the next outermost call begins, so that backward passes and optimizers are those
/// of their call. Before the first call of a process hooks are not paused: nobody knows that there will be any.
enum class Recorded : uint8_t {
  kFull,       // with what happens inside
  kShallow,    // the span alone
  kCounted,    // not even that: model spans alone cost more than they may
  kInsideOne,  // no unit: inside another model call, as part of which it is recorded
};

inline bool is_full(Recorded recorded) { return recorded == Recorded::kFull || recorded == Recorded::kInsideOne; }

/// The outermost model call that is open on a thread.
struct ModelCall {
  uint32_t slot;
  uint32_t id;  // 0: none
  Recorded recorded;
  uint8_t place;  // + 1 in ModelSampling::open, of a full one
};

struct ModelSampling {
  static constexpr uint32_t kMostOpen = 64;

  /// A full call that is open; `ring` kNoRing: one that lies on no stack.
  struct OpenCall {
    uint32_t ring;
    uint32_t id;
    bool is_used;
    bool is_begun;  // its span is known
  };

  SpinLock<LockOrder::kSampling> lock;
  SampleBy by;
  std::atomic<bool> is_paused;  // for the reason of sampling
  std::atomic<uint32_t> every;
  std::atomic<uint32_t> shallow_every;  // of those that are not sampled, one in so many has a span
  std::atomic<uint64_t> seen;
  std::atomic<uint64_t> recorded;
  std::atomic<uint64_t> seen_by_ring[shm::kMaxRings];  // those that begin and end on one thread
  std::atomic<bool> is_due;                            // the next one is sampled, whatever its number
  std::atomic<uint32_t> open_count;
  OpenCall open[kMostOpen];
  std::atomic<bool> is_in_sample;  // by time
  uint64_t gap_begin_ns;           // by time: since when there is a gap, 0: there is none
  // Of full calls, CLOCK_MONOTONIC.
  uint64_t last_begin_ns;
  uint64_t last_end_ns;
  CallCosts costs;
};

// What is below is for where model calls of this process are sampled (is_sampling).

/// Of a process that wakes. The caller holds the process's lock.
void prepare_sampling(Process& process);

/// The thread, where model calls are told apart though nothing else is recorded now. Null: off, outside the recording
/// window, or inside a call that is not sampled.
Thread* model_call_thread();

/// Decides what is recorded of a model call that begins on the thread, and has hooks go on or pause. To be followed by
/// model_call_opened(), whose slot may be kNoSlot, and which mutes the thread: where it does not come, as the call was
/// left by a jump, the thread records on.
Recorded begin_model_call(Thread& thread);
void model_call_opened(Thread& thread, uint32_t slot, Recorded recorded);

/// The model span in `slot` ends: if it is the outermost one, its thread records again. False: it is to be abandoned
/// and not to be closed (Recorded::kCounted).
bool end_model_call(Thread& thread, uint32_t slot);

/// Whether the thread is inside a model call that is not sampled. One that ended unseen is found out here.
bool is_muted(Thread& thread);

/// Of a thread that ends.
void forget_model_call(Thread& thread);

/// A model call that begins on one thread and ends on another. The token is for the end.
struct AsyncModelCall {
  Recorded recorded;
  uint8_t place;
};
AsyncModelCall begin_async_model_call();
void end_async_model_call(const AsyncModelCall& call);

/// By the sender, every round: samples by time, and what was left without an end. Returns the nanoseconds until there
/// is something to do again.
uint64_t update_sampling(Process& process, uint64_t now_ns);

/// By the sender, in a process without a model call so far: has hooks pause, or go on.
void pause_uncalled(Process& process, bool pauses, uint64_t now_ns);

}  // namespace xsp::guest
