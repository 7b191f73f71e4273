#include "inject/cupti/session/giving_way.h"

#include "inject/cupti/library/activity_abi.h"
#include "inject/cupti/records/activity_buffers.h"
#include "inject/cupti/records/activity_control.h"
#include "inject/cupti/session/session_control.h"
#include "inject/cupti/state/other_profiler.h"
#include "inject/record/clock.h"

namespace xsp::guest {
namespace {

/// How long it must have called nothing before we go on: Kineto flushes first and sets attributes after that, which
/// must not fall into a session of ours.
constexpr uint64_t kQuietNs = 100'000'000;
/// Kineto flushes only where CUPTI has asked it for a buffer: after this time the flush is no longer awaited.
constexpr uint64_t kLongestUnflushedNs = 2'000'000'000;

bool buffers_are_let_go() { return !other_profiler_has_buffers(); }
bool subscriber_is_let_go() { return !other_profiler_has_subscriber(); }

using RegisterCallbacks = cupti::Result(void* requested, void* completed);
using RegisterCallbacksV2 = cupti::Result(void* subscriber, void* requested, void* completed);

template <size_t kIndex>
void on_copy_completed(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid_bytes) {
  if (is_own_buffer(buffer)) {
    on_buffer_completed(context, stream, buffer, bytes, valid_bytes);
    return;
  }
  OtherProfiler* other = other_page.get();
  if (other == nullptr) return;
  void* completed = other->copies[kIndex].completed.load(std::memory_order_acquire);
  if (completed == nullptr) return;
  reinterpret_cast<cupti::BufferCompleted*>(completed)(context, stream, buffer, bytes, valid_bytes);
}

constexpr cupti::BufferCompleted* kCompletions[kMaxCopies] = {on_copy_completed<0>, on_copy_completed<1>,
                                                              on_copy_completed<2>, on_copy_completed<3>};

}  // namespace

bool take_buffers(OtherProfiler& other, const xsp_around& around) {
  other.called_at_ns.store(nanoseconds(CLOCK_MONOTONIC), std::memory_order_release);
  const std::string_view name = set_name(other, around);
  const bool had = other.has_buffers.exchange(true, std::memory_order_acq_rel);
  pause_session(wire::GapReason::kOtherProfiler, name);
  return had;
}

void register_again(const CuptiCopy& copy) {
  void* by = copy.registered_by.load(std::memory_order_acquire);
  void* requested = copy.requested.load(std::memory_order_acquire);
  void* completed = copy.completed.load(std::memory_order_acquire);
  if (by == nullptr) return;
  if (copy.is_v2) {
    reinterpret_cast<RegisterCallbacksV2*>(by)(copy.subscriber.load(std::memory_order_acquire), requested, completed);
    return;
  }
  const OtherProfiler* other = other_page.get();
  reinterpret_cast<RegisterCallbacks*>(by)(requested, completion_of(*other, copy));
}

void* completion_of(const OtherProfiler& other, const CuptiCopy& copy) {
  return reinterpret_cast<void*>(kCompletions[&copy - other.copies]);
}

void release_buffers_if_done(OtherProfiler& other, bool is_flush_due) {
  if (has_kinds(other)) return;
  for (const CuptiCopy& copy : other.copies) {
    if (is_flush_due && copy.is_unflushed.load(std::memory_order_acquire)) return;
  }
  if (other.has_buffers.exchange(false, std::memory_order_acq_rel)) ask_to_settle(other);
}

void ask_to_settle(OtherProfiler& other) {
  other.called_at_ns.store(nanoseconds(CLOCK_MONOTONIC), std::memory_order_release);
  other.to_settle.store(true, std::memory_order_release);
  wake_activity_thread();
}

uint64_t settle_with_other_profiler(const Session& session) {
  OtherProfiler* other = other_page.get();
  if (other == nullptr || !other->to_settle.load(std::memory_order_acquire)) return UINT64_MAX;
  const uint64_t called_at = other->called_at_ns.load(std::memory_order_acquire);
  const uint64_t time = nanoseconds(CLOCK_MONOTONIC);
  const uint64_t quiet = time > called_at ? time - called_at : 0;
  const bool waits_for_flush = other_profiler_has_buffers() && !has_kinds(*other);
  const uint64_t enough = waits_for_flush ? kLongestUnflushedNs : kQuietNs;
  if (quiet < enough) return enough - quiet;
  if (!other->to_settle.exchange(false, std::memory_order_acq_rel)) return UINT64_MAX;
  if (waits_for_flush) release_buffers_if_done(*other, false);
  if (session.mode.load(std::memory_order_acquire) == SessionMode::kNone) return UINT64_MAX;
  resume_session(wire::GapReason::kOtherProfiler, buffers_are_let_go);
  regain_subscriber(subscriber_is_let_go);
  const uint64_t again_ns = resume_again_in();
  if (again_ns == UINT64_MAX) return again_ns;
  other->called_at_ns.store(time + again_ns - kQuietNs, std::memory_order_release);
  other->to_settle.store(true, std::memory_order_release);
  return again_ns;
}

}  // namespace xsp::guest
