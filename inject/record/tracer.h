#pragma once

#include <cstdint>

#include "inject/record/hook_timer.h"
#include "inject/record/span.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

/// A span handle of the C API: where the span lies on which ring's stack, and its id, so that any thread can finish it.
/// Layout: ring + 1 (16 bits), slot (16 bits), id (32 bits). There are few slots: the upper bits of that field say that
/// more is to be done at the span's end.
struct SpanHandle {
  uint32_t ring;
  uint32_t slot;
  uint32_t id;
};

inline constexpr uint32_t kModelCallSlot = 0x4000;  // a model call, where those are sampled
inline constexpr uint32_t kTimedSlot = 0x8000;      // the end is to be timed, as the begin was

constexpr uint64_t pack_handle(const SpanHandle& handle) {
  return uint64_t{handle.ring + 1} << 48 | uint64_t{handle.slot} << 32 | handle.id;
}

/// Thread::handle_base: the handle of its span at depth n is (handle_base + n) << 32 | id.
constexpr uint32_t handle_base_of(uint32_t ring) { return ((ring + 1) << 16) - 1; }
static_assert(uint64_t{handle_base_of(5) + 3} << 32 == pack_handle({.ring = 5, .slot = 2, .id = 0}));

constexpr uint64_t mark_handle(uint64_t handle, uint32_t slot_marks) { return handle | uint64_t{slot_marks} << 32; }

constexpr SpanHandle unpack_handle(uint64_t packed) {
  return {.ring = static_cast<uint32_t>(packed >> 48) - 1,
          .slot = static_cast<uint32_t>(packed >> 32) & 0xffff,
          .id = static_cast<uint32_t>(packed)};
}

/// The paper's startSpan and finishSpan (XSP, section III-A), as the exported C functions call them. Handles that are 0
/// are ignored everywhere.
inline uint64_t start_span(uint32_t name, uint8_t level, uint8_t kind, uint32_t type, uint32_t input);
/// Starts a model call for which begin_model_call() has decided what is recorded.
uint64_t start_model_span(Thread& thread, Recorded recorded, uint32_t name, uint8_t kind, uint32_t type,
                          uint32_t input);
inline void finish_span(uint64_t handle, const SpanResult& result);
inline void finish_span_at(uint64_t handle, uint64_t end, const SpanResult& result);  // not 0
void tag_span(uint64_t handle, const char* key, const char* value);
/// Sets the input of a span that is open on the thread.
void set_span_input(Thread& thread, uint64_t handle, uint32_t input);

/// The rare paths: a span that may open the recording window or be a sampled model call; one whose hooks are timed; one
/// that is not the innermost of the thread that finishes it, or has marks in its handle.
uint64_t start_watched_span(uint32_t name, uint8_t level, uint8_t kind, uint32_t type, uint32_t input);
uint64_t start_timed_span(Thread& thread, uint32_t name, uint8_t level, uint8_t kind, uint32_t type, uint32_t input);
void finish_elsewhere(Thread& thread, uint64_t handle, uint64_t end, const SpanResult& result);

/// Whether a span of the program's own lies deeper than --level.
inline bool is_too_deep(uint8_t level) {
  return level > kLevelModel && level > wanted_calls.load(std::memory_order_relaxed) % kAllCalls;
}

inline uint64_t open_span_of_handle(Thread& thread, uint32_t name, uint8_t level, uint8_t kind, uint32_t type,
                                    uint32_t input) {
  const uint32_t slot = open_span(thread, level, kind, name, type, input);
  if (__builtin_expect(slot == kNoSlot, 0)) return 0;
  return pack_handle(
      {.ring = thread.ring_index, .slot = slot, .id = thread.ring->open[slot].id.load(std::memory_order_relaxed)});
}

inline uint64_t start_span(uint32_t name, uint8_t level, uint8_t kind, uint32_t type, uint32_t input) {
  constexpr auto kKindApi = static_cast<uint8_t>(wire::Kind::kApi);
  if (__builtin_expect(are_spans_watched.load(std::memory_order_relaxed), 0)) {
    return start_watched_span(name, level, kind, type, input);
  }
  Thread* thread = recording_thread();
  if (thread == nullptr || (kind == kKindApi && is_too_deep(level))) return 0;
  if (is_hook_timed(*thread)) return start_timed_span(*thread, name, level, kind, type, input);
  return open_span_of_handle(*thread, name, level, kind, type, input);
}

inline void finish_span_at(uint64_t handle, uint64_t end, const SpanResult& result) {
  Thread* thread = ending_thread();
  if (__builtin_expect(thread == nullptr, 0)) return;
  const SpanHandle span = unpack_handle(handle);
  if (__builtin_expect(span.slot < shm::kMaxOpenSpans && span.ring == thread->ring_index &&
                           span.slot + 1 == thread->depth() &&
                           thread->ring->open[span.slot].id.load(std::memory_order_relaxed) == span.id,
                       1)) {
    close_span(*thread, span.slot, end, 0, result);
  } else {
    finish_elsewhere(*thread, handle, end, result);
  }
  span_ended(span.ring, span.id);
}

inline void finish_span(uint64_t handle, const SpanResult& result) {
  if (handle != 0) finish_span_at(handle, now(), result);
}

}  // namespace xsp::guest
