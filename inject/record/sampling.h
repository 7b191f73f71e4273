#pragma once

#include <atomic>
#include <cstdint>

#include "inject/guard/settings.h"
#include "inject/guard/spin_lock.h"
#include "inject/record/call_costs.h"
#include "inject/record/sample_blocks.h"
#include "proto/shared_memory.h"

namespace xsp::guest {

struct Process;
struct Thread;

/// Which model calls are recorded with what happens inside (doc/continuous.md). The unit is the outermost model call of
/// a thread: a root module, a run of a session, a span of level model of the C API.
///
/// Of a call that is not sampled only the span is recorded, marked as shallow, and its thread is muted until it ends
/// (Thread::recording_ring). Threads outside of model calls follow the process: hooks are paused unless a sampled call
/// is open, and stay on after it until the next outermost call begins, so that backward passes and optimizers are
/// recorded with their call. Before the first call of a process hooks are not paused: there may never be one.
enum class Recorded : uint8_t {
  kFull,       // with what happens inside
  kShallow,    // the span alone
  kCounted,    // not even that: model spans alone would cost too much
  kInsideOne,  // inside another model call, and recorded as part of that
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

  /// A full call that is open; `ring` kNoRing: its span lies on no stack.
  struct OpenCall {
    uint32_t ring;
    uint32_t id;
    bool is_used;
    bool is_begun;  // its span is known
  };

  SpinLock<LockOrder::kSampling> lock;
  SampleBy by;
  std::atomic<bool> is_paused;  // because of sampling
  SampleBlocks full;            // which calls are sampled, by count and by cost
  SampleBlocks spans;           // of those that are not sampled, which have a span
  std::atomic<uint64_t> seen;
  std::atomic<uint64_t> recorded;
  std::atomic<uint64_t> seen_by_ring[shm::kMaxRings];  // calls that begin and end on one thread
  std::atomic<bool> is_due;                            // the next one is sampled, whatever its number
  std::atomic<uint32_t> open_count;
  OpenCall open[kMostOpen];
  std::atomic<bool> is_in_sample;  // by time
  uint64_t gap_begin_ns;           // by time: since when there is a gap, 0: there is none
  // Begin and end of the latest full calls, CLOCK_MONOTONIC.
  uint64_t last_begin_ns;
  uint64_t last_end_ns;
  CallCosts costs;
};

// The rest is for processes whose model calls are sampled (is_sampling).

/// Prepares a process that wakes. The caller holds the process's lock.
void prepare_sampling(Process& process);

/// The calling thread, if a model call may begin on it, even if nothing else is recorded now. Null if the guest is off,
/// outside the recording window, or inside a call that is not sampled.
Thread* model_call_thread();

/// Decides what is recorded of a model call that begins on the thread, and resumes or pauses hooks. To be followed by
/// model_call_opened(), whose slot may be kNoSlot, and which mutes the thread: if a jump keeps it from being called,
/// the thread goes on recording.
Recorded begin_model_call(Thread& thread);
void model_call_opened(Thread& thread, uint32_t slot, Recorded recorded);

/// The model span in `slot` ends: if it is the outermost one, its thread records again. False: the span must be
/// abandoned instead of closed (Recorded::kCounted).
bool end_model_call(Thread& thread, uint32_t slot);

/// Whether the thread is inside a model call that is not sampled. A call that ended unseen (by a jump) is noticed here.
bool is_muted(Thread& thread);

/// Forgets the thread's model call, if it has one, and unmutes it: at the call's end, after a jump, at the thread's
/// end.
void forget_model_call(Thread& thread);

/// A model call that begins on one thread and ends on another. To be passed to end_async_model_call().
struct AsyncModelCall {
  Recorded recorded;
  uint8_t place;
};
AsyncModelCall begin_async_model_call();
void end_async_model_call(const AsyncModelCall& call);

/// Called by the sender every round: samples by time, and ends calls whose spans were abandoned. Returns the
/// nanoseconds until it needs to be called again.
uint64_t update_sampling(Process& process, uint64_t now_ns);

/// Called by the sender: pauses or resumes hooks, in a process without a model call so far.
void pause_uncalled(Process& process, bool pauses, uint64_t now_ns);

}  // namespace xsp::guest
