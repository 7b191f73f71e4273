#include "inject/record/sampling.h"

#include <algorithm>

#include "inject/guard/errno_guard.h"
#include "inject/record/hash.h"
#include "inject/record/hook_times.h"
#include "inject/record/posted_packets.h"
#include "inject/record/sample_rate.h"
#include "inject/record/span.h"

namespace xsp::guest {

namespace {

constexpr uint64_t kNever = UINT64_MAX;
constexpr uint64_t kSecond = 1'000'000'000;
// So that a rare call, after a busy phase has raised the rate, is seen at least once a minute.
constexpr uint64_t kLongestWithoutSample = 60 * kSecond;
constexpr uint64_t kLookForLostCallsNs = kSecond;
/// How long hooks stay on after a sampled call that no other call follows: kTailOfCalls times the call's length, but at
/// least kShortestTailNs.
constexpr uint64_t kTailOfCalls = 10;
constexpr uint64_t kShortestTailNs = kSecond;

uint64_t host_time() { return nanoseconds(CLOCK_MONOTONIC); }

bool is_open(const Thread& thread, const ModelCall& call) {
  return call.id != 0 && call.slot < thread.depth() &&
         thread.ring->open[call.slot].id.load(std::memory_order_relaxed) == call.id;
}

void mute(Thread& thread) { thread.recording_ring = nullptr; }
void unmute(Thread& thread) { thread.recording_ring = thread.ring; }

void tell_gap(uint64_t begin_ns, uint64_t end_ns) {
  uint8_t buffer[128];
  WireWriter writer(buffer, sizeof buffer);
  write_gap(writer, wire::GapReason::kNotSampled, wire::Level::kLayer, begin_ns, end_ns, {});
  if (!writer.failed()) post_packet(writer.data(), writer.size());
}

/// The caller holds the lock, and must tell the listeners where this returns true.
bool pause(ModelSampling& sampling, uint64_t now_ns) {
  if (sampling.is_paused.exchange(true, std::memory_order_relaxed)) return false;
  pause_hooks(PauseReason::kNotSampled);
  // Only by time is there a gap to report: by count, each call that was left out has a shallow span or is counted.
  if (sampling.by == SampleBy::kTime) {
    sampling.gap_begin_ns = now_ns;
    tell_gap(now_ns, 0);
  }
  return true;
}

bool resume(ModelSampling& sampling, uint64_t now_ns) {
  if (!sampling.is_paused.exchange(false, std::memory_order_relaxed)) return false;
  resume_hooks(PauseReason::kNotSampled);
  if (sampling.gap_begin_ns != 0) tell_gap(sampling.gap_begin_ns, now_ns);
  sampling.gap_begin_ns = 0;
  return true;
}

/// Times the work of pausing and resuming hooks. All of it is timed, as it is rare.
class SwitchTimer {
 public:
  ~SwitchTimer() {
    if (this_thread != nullptr && this_thread->ring != nullptr) add_hook_time(*this_thread, now() - begin_);
  }

 private:
  uint64_t begin_ = now();
};

/// Resumes hooks for a call that is recorded in full, and returns its place, counted from 1; 0 if there are too many.
uint8_t open_full_call(ModelSampling& sampling) {
  const SwitchTimer timer;
  const uint64_t now_ns = host_time();
  uint32_t place = 0;
  bool has_resumed;
  {
    const LockGuard lock(sampling.lock);
    while (place < ModelSampling::kMostOpen && sampling.open[place].is_used) ++place;
    if (place == ModelSampling::kMostOpen) return 0;
    sampling.open[place] = {.ring = 0, .id = 0, .is_used = true, .is_begun = false};
    sampling.open_count.fetch_add(1, std::memory_order_relaxed);
    sampling.last_begin_ns = now_ns;
    has_resumed = resume(sampling, now_ns);
  }
  if (has_resumed) tell_window_listeners();
  return static_cast<uint8_t>(place + 1);
}

/// The caller holds the lock. Returns whether hooks have been paused.
bool remove(ModelSampling& sampling, ModelSampling::OpenCall& call, uint64_t now_ns) {
  if (!call.is_used) return false;
  call = {};
  sampling.last_end_ns = now_ns;
  const bool was_last = sampling.open_count.fetch_sub(1, std::memory_order_relaxed) == 1;
  return was_last && sampling.by == SampleBy::kTime && !sampling.is_in_sample.load(std::memory_order_relaxed) &&
         pause(sampling, now_ns);
}

/// Does nothing if the place is another call's by now: the sender frees the places of lost spans. A call whose span is
/// not known yet (id 0) is never taken for lost.
void close_full_call(uint8_t place, uint32_t ring, uint32_t id) {
  Process* process = awake_process();
  if (process == nullptr || place == 0) return;
  ModelSampling& sampling = process->sampling;
  bool has_paused;
  {
    const LockGuard lock(sampling.lock);
    ModelSampling::OpenCall& call = sampling.open[place - 1];
    if (call.id != id || (id != 0 && call.ring != ring)) return;
    has_paused = remove(sampling, call, host_time());
  }
  if (has_paused) tell_window_listeners();
}

/// A call that is not sampled begins, which ends what ran after the last sampled one.
void pause_behind_full_calls(ModelSampling& sampling) {
  if (sampling.by == SampleBy::kTime || sampling.is_paused.load(std::memory_order_relaxed) ||
      sampling.open_count.load(std::memory_order_relaxed) != 0) {
    return;
  }
  const SwitchTimer timer;
  bool has_paused;
  {
    const LockGuard lock(sampling.lock);
    has_paused = sampling.open_count.load(std::memory_order_relaxed) == 0 && pause(sampling, host_time());
  }
  if (has_paused) tell_window_listeners();
}

bool is_chosen(ModelSampling& sampling, uint64_t number) {
  if (sampling.by == SampleBy::kTime) return sampling.is_in_sample.load(std::memory_order_relaxed);
  if (sampling.full.is_chosen(number)) return true;
  return __builtin_expect(sampling.is_due.load(std::memory_order_relaxed), 0) && sampling.is_due.exchange(false);
}

Recorded decide(ModelSampling& sampling, uint8_t* place) {
  const uint64_t number = sampling.seen.fetch_add(1, std::memory_order_relaxed) + 1;
  if (is_chosen(sampling, number)) {
    *place = open_full_call(sampling);
    if (*place != 0) {
      sampling.recorded.fetch_add(1, std::memory_order_relaxed);
      return Recorded::kFull;
    }
  }
  pause_behind_full_calls(sampling);
  const bool has_span = sampling.spans.every() == 1 || sampling.spans.is_chosen(number);
  return has_span ? Recorded::kShallow : Recorded::kCounted;
}

bool is_in_sample(const Settings& settings, uint64_t since_begin_ns) {
  return since_begin_ns % settings.sample_period_ns < settings.sample_ns;
}

uint64_t until_next_change(const Settings& settings, uint64_t since_begin_ns) {
  const uint64_t at = since_begin_ns % settings.sample_period_ns;
  return (at < settings.sample_ns ? settings.sample_ns : settings.sample_period_ns) - at;
}

/// The caller holds the lock. Returns whether hooks have been paused or resumed.
bool follow_time(const Process& process, ModelSampling& sampling, uint64_t now_ns) {
  const bool in_sample = is_in_sample(process.settings, now_ns - process.first_clock.monotonic_ns);
  sampling.is_in_sample.store(in_sample, std::memory_order_relaxed);
  if (in_sample) return resume(sampling, now_ns);
  return sampling.open_count.load(std::memory_order_relaxed) == 0 && pause(sampling, now_ns);
}

/// Pauses hooks long after a sampled call: what runs then no longer belongs to it.
bool end_tail(ModelSampling& sampling, uint64_t now_ns) {
  // Where every call is sampled, all that runs between them is recorded.
  if (sampling.full.every() == 1 || sampling.last_end_ns == 0 ||
      sampling.open_count.load(std::memory_order_relaxed) != 0) {
    return false;
  }
  const uint64_t call_ns = sampling.last_end_ns - std::min(sampling.last_begin_ns, sampling.last_end_ns);
  const uint64_t tail_ns = std::max(kShortestTailNs, kTailOfCalls * call_ns);
  return now_ns > sampling.last_end_ns + tail_ns && pause(sampling, now_ns);
}

}  // namespace

void prepare_sampling(Process& process) {
  ModelSampling& sampling = process.sampling;
  sampling.by = process.settings.sample_by;
  // A forked child wakes at another time and as another process, and so draws other calls.
  const uint64_t seed = mix(process.first_clock.ticks, static_cast<uint64_t>(process.pid));
  sampling.full.start(sampling.by == SampleBy::kCost ? SampleRate::kFirst : process.settings.sample_every, seed);
  sampling.spans.start(1, ~seed);
  sampling.is_in_sample.store(true, std::memory_order_relaxed);
  sampling.last_begin_ns = process.first_clock.monotonic_ns;
  is_sampling.store(sampling.by != SampleBy::kAll, std::memory_order_relaxed);
  are_spans_watched.store(sampling.by != SampleBy::kAll || is_range_awaited(), std::memory_order_relaxed);
}

Thread* model_call_thread() {
  const ErrnoGuard errno_guard;
  const Process* process = wake_process();
  if (process == nullptr || !is_window_open()) return nullptr;
  Thread* thread = this_thread;
  if (thread == nullptr || thread->ring == nullptr) thread = attach_thread(true);
  return thread == nullptr || is_muted(*thread) ? nullptr : thread;
}

Recorded begin_model_call(Thread& thread) {
  Process* process = awake_process();
  if (!is_sampling.load(std::memory_order_relaxed) || process == nullptr) return Recorded::kFull;
  if (is_open(thread, thread.model_call)) return Recorded::kInsideOne;
  const ErrnoGuard errno_guard;
  // A call that a jump left open: its span is no longer on the stack.
  forget_model_call(thread);
  process->sampling.seen_by_ring[thread.ring_index].fetch_add(1, std::memory_order_relaxed);
  uint8_t place = 0;
  const Recorded recorded = decide(process->sampling, &place);
  thread.model_call = {.slot = 0, .id = 0, .recorded = recorded, .place = place};
  return recorded;
}

void model_call_opened(Thread& thread, uint32_t slot, Recorded recorded) {
  if (!is_sampling.load(std::memory_order_relaxed)) return;
  if (slot == kNoSlot) {
    if (recorded != Recorded::kInsideOne) forget_model_call(thread);
    return;
  }
  shm::OpenSpan& span = thread.ring->open[slot];
  // In the slot, so that the flag is there however the span ends.
  if (!is_full(recorded)) span.flags = shm::kFlagShallow;
  if (recorded == Recorded::kInsideOne) return;
  ModelCall& call = thread.model_call;
  call.slot = slot;
  call.recorded = recorded;
  call.id = span.id.load(std::memory_order_relaxed);
  // Only now that the span is on the stack: is_muted() unmutes a thread whose call it does not find there.
  if (recorded != Recorded::kFull) mute(thread);
  Process* process = awake_process();
  if (process == nullptr) return;
  measure_call(thread, process->sampling.costs, span.name, recorded == Recorded::kFull);
  if (call.place == 0) return;
  const LockGuard lock(process->sampling.lock);
  process->sampling.open[call.place - 1] = {
      .ring = thread.ring_index, .id = call.id, .is_used = true, .is_begun = true};
}

bool end_model_call(Thread& thread, uint32_t slot) {
  if (!is_sampling.load(std::memory_order_relaxed)) return true;
  const ModelCall& call = thread.model_call;
  if (call.slot != slot || !is_open(thread, call)) return true;
  const bool is_kept = call.recorded != Recorded::kCounted;
  forget_model_call(thread);
  return is_kept;
}

bool is_muted(Thread& thread) {
  if (thread.recording_ring != nullptr || thread.ring == nullptr) return false;
  if (is_open(thread, thread.model_call)) return true;
  forget_model_call(thread);
  return false;
}

void forget_model_call(Thread& thread) {
  const ModelCall call = thread.model_call;
  thread.model_call = {};
  unmute(thread);
  if (call.place != 0) close_full_call(call.place, thread.ring_index, call.id);
}

AsyncModelCall begin_async_model_call() {
  Process* process = awake_process();
  if (!is_sampling.load(std::memory_order_relaxed) || process == nullptr) return {Recorded::kFull, 0};
  AsyncModelCall call{Recorded::kFull, 0};
  call.recorded = decide(process->sampling, &call.place);
  return call;
}

void end_async_model_call(const AsyncModelCall& call) { close_full_call(call.place, 0, 0); }

uint64_t update_sampling(Process& process, uint64_t now_ns) {
  ModelSampling& sampling = process.sampling;
  if (sampling.by == SampleBy::kAll) return kNever;
  uint64_t wait_ns = kNever;
  bool has_changed = false;
  {
    const LockGuard lock(sampling.lock);
    for (ModelSampling::OpenCall& call : sampling.open) {
      if (call.is_begun && is_span_lost(process, call.ring, call.id)) has_changed |= remove(sampling, call, now_ns);
    }
    if (sampling.open_count.load(std::memory_order_relaxed) != 0) wait_ns = kLookForLostCallsNs;
    if (sampling.by == SampleBy::kTime) {
      has_changed |= follow_time(process, sampling, now_ns);
      const uint64_t next = until_next_change(process.settings, now_ns - process.first_clock.monotonic_ns);
      wait_ns = std::min(wait_ns, next);
    } else {
      has_changed |= end_tail(sampling, now_ns);
    }
    if (sampling.by == SampleBy::kCost && now_ns > sampling.last_begin_ns + kLongestWithoutSample) {
      sampling.is_due.store(true, std::memory_order_relaxed);
    }
  }
  if (has_changed) tell_window_listeners();
  return wait_ns;
}

void pause_uncalled(Process& process, bool pauses, uint64_t now_ns) {
  ModelSampling& sampling = process.sampling;
  bool has_changed;
  {
    const LockGuard lock(sampling.lock);
    if (sampling.seen.load(std::memory_order_relaxed) != 0) return;
    has_changed = pauses ? pause(sampling, now_ns) : resume(sampling, now_ns);
  }
  if (has_changed) tell_window_listeners();
}

}  // namespace xsp::guest
