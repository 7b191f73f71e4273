#include "inject/cupti/other_profiler.h"

#include "inject/cupti/activity_abi.h"
#include "inject/cupti/other_profiler_state.h"
#include "inject/record/clock.h"

namespace xsp::guest {
namespace {

/// It may go on for a moment: Kineto flushes first and sets attributes then, which must not fall into a session of
/// ours.
constexpr uint64_t kQuietNs = 100'000'000;
/// Kineto flushes only where CUPTI has asked it for a buffer.
constexpr uint64_t kLongestUnflushedNs = 2'000'000'000;

bool buffers_are_let_go() { return !other_profiler_has_buffers(); }
bool subscriber_is_let_go() { return !other_profiler_has_subscriber(); }

}  // namespace

bool other_profiler_has_subscriber() {
  const OtherProfiler* other = other_page.get();
  return other != nullptr && (other->is_subscribing.load(std::memory_order_acquire) ||
                              other->is_subscribed.load(std::memory_order_acquire));
}

bool other_profiler_has_buffers() {
  const OtherProfiler* other = other_page.get();
  return other != nullptr && other->has_buffers.load(std::memory_order_acquire);
}

bool other_profiler_was_there() {
  const OtherProfiler* other = other_page.get();
  return other != nullptr && !other->name.empty();
}

std::string_view other_profiler_name() {
  const OtherProfiler* other = other_page.get();
  return other == nullptr ? std::string_view() : other->name.view();
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

void pass_on_buffer(const Session& session, void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                    size_t valid_bytes) {
  OtherProfiler* other = other_page.get();
  if (other == nullptr) return;
  const uintptr_t low = low_of(reinterpret_cast<const void*>(session.cupti.activity_register_callbacks));
  for (const CuptiCopy& copy : other->copies) {
    if (copy.low.load(std::memory_order_acquire) != low || copy.is_v2) continue;
    void* completed = copy.completed.load(std::memory_order_acquire);
    if (completed == nullptr) return;
    reinterpret_cast<cupti::BufferCompleted*>(completed)(context, stream, buffer, bytes, valid_bytes);
    return;
  }
}

}  // namespace xsp::guest
