#pragma once

#include "inject/record/tracer.h"

namespace xsp::guest {

/// The path of nearly all spans of the C API: the thread has recorded before, nothing is watched or timed, and the
/// clock is the TSC. It calls no function, so that no register is saved and the stack is not used. In any other case it
/// has done nothing, and the caller must use start_span() or finish_span(), which handle all cases.

/// Begins a span and returns its handle, or 0 (see above). `word`: switch_word().
inline uint64_t start_directly(uint32_t word, uint32_t name, uint32_t level) {
  constexpr uint32_t kLevelBits = 32;
  Thread* thread = this_thread;
  if (!is_direct(word) || __builtin_expect(thread == nullptr || level >= kLevelBits, 0)) return 0;
  if (__builtin_expect((api_levels.load(std::memory_order_relaxed) >> level & 1) == 0, 0)) return 0;
  shm::RingHeader* ring = thread->recording_ring;
  if (__builtin_expect(ring == nullptr || thread->hooks_until_timed <= 1, 0)) return 0;
  const uint32_t depth = ring->depth.load(std::memory_order_relaxed);
  shm::OpenSpan* slot = slot_above(ring, depth);
  const uint32_t parent = (slot - 1)->id.load(std::memory_order_relaxed);
  if (__builtin_expect(depth == shm::kMaxOpenSpans || parent == shm::kClosedSlot ||
                           ring->next_id.load(std::memory_order_relaxed) >= kLastId,
                       0)) {
    return 0;
  }
  --thread->hooks_until_timed;
  const uint32_t id = take_next(ring->next_id) + 1;
  constexpr auto kKindApi = static_cast<uint8_t>(wire::Kind::kApi);
  fill_slot<read_tsc>(ring, depth, *slot, name, parent, what_of(static_cast<uint8_t>(level), kKindApi), id);
  return uint64_t{thread->handle_base + depth + 1} << 32 | id;
}

/// Closes and records the span, which must be the innermost one of the thread. False: it did nothing.
inline bool finish_directly(uint64_t handle) {
  const auto id = static_cast<uint32_t>(handle);
  if (id == 0 || !is_direct(switch_word())) return false;
  const uint64_t end = read_tsc();
  Thread* thread = this_thread;
  shm::RingHeader* ring = thread != nullptr ? thread->ring : nullptr;
  if (__builtin_expect(ring == nullptr, 0)) return false;
  const uint32_t depth = ring->depth.load(std::memory_order_relaxed);
  shm::OpenSpan* open = slot_above(ring, depth) - 1;
  // With no span open this is `outside`, whose id is 0.
  if (__builtin_expect(static_cast<uint32_t>(handle >> 32) != thread->handle_base + depth ||
                           id != open->id.load(std::memory_order_relaxed) || !has_room(*thread),
                       0)) {
    return false;
  }
  write_closed(*thread, ring, *open, end, 0, {});
  // Checked once more: a signal handler may have left a span open.
  if (__builtin_expect(depth != ring->depth.load(std::memory_order_relaxed), 0)) {
    abandon_spans(*thread, depth - 1);
    return true;
  }
  open->id.store(0, std::memory_order_relaxed);
  keep_order();
  ring->depth.store(depth - 1, std::memory_order_relaxed);
  return true;
}

}  // namespace xsp::guest
