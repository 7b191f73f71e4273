#pragma once

#include "inject/record/tracer.h"

namespace xsp::guest {

/// The path of nearly all spans of the C API: the thread has recorded before, nothing is watched or timed, and the
/// clock is the TSC. It calls no function, so that no register is saved and the stack is not used. In any other case it
/// has done nothing, and the caller must use start_span() or finish_span(), which handle all cases.

/// The handle of a span that has begun, or 0: see above.
inline uint64_t start_directly(uint32_t name, uint8_t level) {
  constexpr uint32_t kLastId = UINT32_MAX - 1024;  // ids start again soon: left to next_span_id()
  Thread* thread = this_thread;
  if (!is_direct() || __builtin_expect(thread == nullptr || is_too_deep(level), 0)) return 0;
  shm::RingHeader* ring = thread->recording_ring;
  if (__builtin_expect(ring == nullptr || thread->hooks_until_timed <= 1, 0)) return 0;
  const uint32_t slot = ring->depth.load(std::memory_order_relaxed);
  const uint32_t parent = shm::innermost(ring, slot)->id.load(std::memory_order_relaxed);
  if (__builtin_expect(slot == shm::kMaxOpenSpans || parent == shm::kClosedSlot ||
                           ring->next_id.load(std::memory_order_relaxed) >= kLastId,
                       0)) {
    return 0;
  }
  --thread->hooks_until_timed;
  const uint32_t id = take_next(ring->next_id) + 1;
  constexpr auto kKindApi = static_cast<uint8_t>(wire::Kind::kApi);
  fill_slot<read_tsc>(*thread, ring, slot, level, kKindApi, name, 0, parent, 0, id);
  return pack_handle({.ring = thread->ring_index, .slot = slot, .id = id});
}

/// Whether the span, which must be the innermost one of the thread, has been closed and recorded.
inline bool finish_directly(uint64_t handle) {
  if (!is_direct()) return false;
  const uint64_t end = read_tsc();
  Thread* thread = this_thread;
  const SpanHandle span = unpack_handle(handle);
  shm::RingHeader* ring = thread != nullptr ? thread->ring : nullptr;
  if (__builtin_expect(ring == nullptr || span.slot >= shm::kMaxOpenSpans || span.ring != thread->ring_index, 0)) {
    return false;
  }
  shm::OpenSpan& open = ring->open[span.slot];
  if (__builtin_expect(
          span.slot + 1 != thread->depth() || open.id.load(std::memory_order_relaxed) != span.id || !has_room(*thread),
          0)) {
    return false;
  }
  write_closed(ring, open, end, 0, {});
  // Checked once more: a signal handler may have left a span open.
  if (__builtin_expect(span.slot + 1 != ring->depth.load(std::memory_order_relaxed), 0)) {
    abandon_spans(*thread, span.slot);
    return true;
  }
  open.id.store(0, std::memory_order_relaxed);
  keep_order();
  ring->depth.store(span.slot, std::memory_order_relaxed);
  return true;
}

}  // namespace xsp::guest
