#pragma once

#include <cstdint>

#include "inject/record/span.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

/// A span handle of the C API: where the span lies on which ring's stack, and its id, so that any thread can finish it.
/// Layout: ring + 1 (16 bits), slot (16 bits), id (32 bits).
struct SpanHandle {
  uint32_t ring;
  uint32_t slot;
  uint32_t id;
};

constexpr uint64_t pack_handle(const SpanHandle& handle) {
  return uint64_t{handle.ring + 1} << 48 | uint64_t{handle.slot} << 32 | handle.id;
}

constexpr SpanHandle unpack_handle(uint64_t packed) {
  return {.ring = static_cast<uint32_t>(packed >> 48) - 1,
          .slot = static_cast<uint32_t>(packed >> 32) & 0xffff,
          .id = static_cast<uint32_t>(packed)};
}

/// The paper's startSpan and finishSpan (XSP, section III-A), as the exported C functions call them. 0 handles are
/// ignored throughout.
inline uint64_t start_span(uint32_t name, uint8_t level, uint8_t kind, uint32_t type, uint32_t input);
inline void finish_span(uint64_t handle, const SpanResult& result);
inline void finish_span_at(uint64_t handle, uint64_t end, const SpanResult& result);  // not 0
void tag_span(uint64_t handle, const char* key, const char* value);

/// The ways that are rarely gone: a span that may open the recording window, and one that is not the innermost of the
/// thread that finishes it.
uint32_t open_awaited(uint32_t name);
uint64_t finish_opening(uint32_t opening, uint64_t handle);
void finish_elsewhere(Thread& thread, uint64_t handle, uint64_t end, const SpanResult& result);

/// A span of the program's own that lies deeper than --level.
inline bool is_too_deep(uint8_t level) {
  return level > kLevelModel && level > wanted_calls.load(std::memory_order_relaxed) % kAllCalls;
}

inline uint64_t start_span(uint32_t name, uint8_t level, uint8_t kind, uint32_t type, uint32_t input) {
  constexpr auto kKindApi = static_cast<uint8_t>(wire::Kind::kApi);
  const bool is_own = kind == kKindApi;
  const uint32_t opening = is_own && __builtin_expect(is_range_awaited(), 0) ? open_awaited(name) : 0;
  Thread* thread = recording_thread();
  // One that opens the recording window is needed at any level.
  const bool records = thread != nullptr && !(is_own && is_too_deep(level) && opening == 0);
  const uint32_t slot = records ? open_span(*thread, level, kind, name, type, input) : kNoSlot;
  uint64_t handle = 0;
  if (__builtin_expect(slot != kNoSlot, 1)) {
    handle = pack_handle(
        {.ring = thread->ring_index, .slot = slot, .id = thread->ring->open[slot].id.load(std::memory_order_relaxed)});
  }
  return __builtin_expect(opening == 0, 1) ? handle : finish_opening(opening, handle);
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
