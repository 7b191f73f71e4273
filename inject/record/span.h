#pragma once

#include <cstdint>
#include <string_view>

#include "inject/record/thread.h"

namespace xsp::guest {

/// What is known of a span when it ends. String ids are of intern().
struct SpanResult {
  uint32_t shape = 0;
  uint32_t scope = 0;
  uint64_t bytes = 0;
  bool has_bytes = false;
};

/// Opens a span on the thread's stack and returns its slot, or kNoSlot when the stack is full (counted). The begin time
/// is read last, so that our own work lies outside. `this_thread` must be `thread`.
inline constexpr uint32_t kNoSlot = UINT32_MAX;
inline uint32_t open_span(Thread& thread, uint8_t level, uint8_t kind, uint32_t name, uint32_t type, uint32_t input);

/// Closes the innermost span, which lies in `slot`, and records it. `kind` 0 keeps that of the opening. Anything opened
/// inside and never closed is forgotten.
inline void close_span(Thread& thread, uint32_t slot, uint64_t end, uint8_t kind, const SpanResult& result);

/// Forgets the innermost open spans down to `depth`, recording nothing.
inline void abandon_spans(Thread& thread, uint32_t depth);

/// Records a span that the caller timed itself, its parent too. Returns its id.
inline uint32_t record_span(Thread& thread, shm::Record span);

/// Puts one record into the ring. False if it was dropped (counted).
bool publish_when_full(Thread& thread, const shm::Record& record);
void wake_sender_of_quarter_full_ring();

inline constexpr uint64_t kRingMask = shm::kRingRecords - 1;
inline constexpr uint64_t kQuarterRing = shm::kRingRecords / 4;

/// Takes the next place in one instruction, so that a signal handler that records in between gets a place of its own.
/// The reader stops at a place whose sequence word is not yet there.
inline uint64_t reserve(Thread& thread) {
#if defined(__x86_64__)
  uint64_t place = 1;
  asm volatile("xaddq %0, %1" : "+r"(place), "+m"(thread.head) : : "memory");
  return place;
#else
  return thread.head++;
#endif
}

inline void store_record(Thread& thread, const shm::Record& record) {
  const uint64_t at = reserve(thread);
  shm::Record* place = thread.records + (at & kRingMask);
  *place = record;
  __atomic_store_n(&place->sequence, static_cast<uint32_t>(at + 1), __ATOMIC_RELEASE);
  thread.ring->head.store(thread.head, std::memory_order_release);
  if (__builtin_expect((thread.head & (kQuarterRing - 1)) == 0, 0)) wake_sender_of_quarter_full_ring();
}

inline bool publish(Thread& thread, const shm::Record& record) {
  if (__builtin_expect(thread.head - thread.sent_seen >= shm::kRingRecords, 0)) {
    return publish_when_full(thread, record);
  }
  store_record(thread, record);
  return true;
}

/// Spans closed by another thread, or out of order, leave a closed slot behind. A slot with id 0 is being opened: a
/// signal handler may find one.
inline void drop_closed_slots(Thread& thread) {
  while (thread.depth > 0 &&
         thread.ring->open[thread.depth - 1].id.load(std::memory_order_relaxed) == shm::kClosedSlot) {
    thread.ring->depth.store(--thread.depth, std::memory_order_relaxed);
  }
}

inline uint32_t open_span(Thread& thread, uint8_t level, uint8_t kind, uint32_t name, uint32_t type, uint32_t input) {
  drop_closed_slots(thread);
  const uint32_t slot = thread.depth;
  if (__builtin_expect(slot == shm::kMaxOpenSpans, 0)) {
    thread.ring->too_deep.fetch_add(1, std::memory_order_relaxed);
    return kNoSlot;
  }
  shm::OpenSpan& span = thread.ring->open[slot];
  uint32_t parent = 0;
  if (slot > 0) {
    shm::OpenSpan& outer = thread.ring->open[slot - 1];
    parent = outer.id.load(std::memory_order_relaxed);
    if (outer.children != UINT16_MAX) outer.children++;
  }
  const uint32_t id = ++thread.next_id;
  thread.ring->next_id = id;
  span.name = name;
  span.type = type;
  span.parent = parent;
  span.level = level;
  span.kind = kind;
  span.children = 0;
  span.input = input;
  thread.marks[slot].object = nullptr;
  thread.depth = slot + 1;
  thread.ring->depth.store(slot + 1, std::memory_order_relaxed);
  span.begin = now();
  span.id.store(id, std::memory_order_release);
  return slot;
}

inline void abandon_spans(Thread& thread, uint32_t depth) {
  while (thread.depth > depth) {
    thread.ring->open[thread.depth - 1].id.store(0, std::memory_order_relaxed);
    thread.ring->depth.store(--thread.depth, std::memory_order_relaxed);
  }
}

inline void close_span(Thread& thread, uint32_t slot, uint64_t end, uint8_t kind, const SpanResult& result) {
  const shm::OpenSpan& span = thread.ring->open[slot];
  shm::Record record;
  record.begin = span.begin;
  record.end = end;
  record.id = span.id.load(std::memory_order_relaxed);
  record.parent = span.parent;
  record.name = span.name;
  record.type = span.type;
  record.shape = result.shape;
  record.input = span.input;
  record.bytes = result.bytes;
  record.scope = result.scope;
  record.record_type = static_cast<uint8_t>(shm::RecordType::kSpan);
  record.level = span.level;
  record.kind = kind == 0 ? span.kind : kind;
  record.flags = result.has_bytes ? shm::kFlagHasBytes : 0;
  record.reserved = 0;
  record.sequence = 0;
  abandon_spans(thread, slot);
  publish(thread, record);
}

inline uint32_t record_span(Thread& thread, shm::Record span) {
  span.id = ++thread.next_id;
  thread.ring->next_id = span.id;
  span.record_type = static_cast<uint8_t>(shm::RecordType::kSpan);
  publish(thread, span);
  return span.id;
}

}  // namespace xsp::guest
