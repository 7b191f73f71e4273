#pragma once

#include <cstdint>

#include "inject/record/span.h"

namespace xsp::guest {

/// A span handle of the C API: where the span lies on which ring's stack, and its id, so that any thread can finish it.
/// Layout: ring + 1 (16 bits), slot (16 bits), id (32 bits). Slots are few: the upper bits of one say that the span has
/// more to be done at its end.
struct SpanHandle {
  uint32_t ring;
  uint32_t slot;
  uint32_t id;
};

inline constexpr uint32_t kModelCallSlot = 0x4000;  // model calls are sampled
inline constexpr uint32_t kTimedSlot = 0x8000;      // the end is to be timed, as the begin was

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
uint64_t start_span(uint32_t name, uint8_t level, uint8_t kind, uint32_t type, uint32_t input);
/// A model call that begin_model_call() has decided about.
uint64_t start_model_span(Thread& thread, Recorded recorded, uint32_t name, uint8_t kind, uint32_t type,
                          uint32_t input);
void finish_span(uint64_t handle, const SpanResult& result);
void finish_span_at(uint64_t handle, uint64_t end, const SpanResult& result);  // not 0
void tag_span(uint64_t handle, const char* key, const char* value);

}  // namespace xsp::guest
