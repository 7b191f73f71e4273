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
  uint32_t correlation = 0;  // CUPTI's, of a call of the CUDA API
  bool has_bytes = false;
  bool failed = false;
  bool has_forward = false;  // `scope` and `correlation` are those of shm::kFlagForward
  bool shallow = false;      // shm::kFlagShallow
};

inline uint8_t flags_of(const SpanResult& result) {
  return static_cast<uint8_t>((result.has_bytes ? shm::kFlagHasBytes : 0) | (result.failed ? shm::kFlagFailed : 0) |
                              (result.has_forward ? shm::kFlagForward : 0) | (result.shallow ? shm::kFlagShallow : 0));
}

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

inline constexpr uint64_t kRingMask = shm::kRingRecords - 1;
inline constexpr uint64_t kQuarterRing = shm::kRingRecords / 4;

/// Looks whether the ring has room for so many records, waiting for it if the user chose so. Counts nothing.
bool find_room(Thread& thread, uint32_t records);

/// Room for one record, or its loss is counted. True if there is room now.
bool make_room(Thread& thread, uint64_t begin, uint64_t end);
void wake_sender_of_quarter_full_ring();

/// A place in the ring that a record is being written to.
struct Place {
  shm::Record* record;
  uint64_t at;
};

/// Counts up and returns the value before, in one instruction: a signal handler that records in between gets another.
template <typename Word>
inline Word take_next(Word& counter) {
#if defined(__x86_64__)
  Word value = 1;
  asm volatile("xadd %0, %1" : "+r"(value), "+m"(counter) : : "memory");
  return value;
#else
  return counter++;
#endif
}

/// The reader stops at a place whose sequence word is not yet there.
inline Place reserve(Thread& thread) {
  const uint64_t at = take_next(thread.head);
  return {thread.records + (at & kRingMask), at};
}

inline bool has_room(const Thread& thread, uint32_t records = 1) {
  return __builtin_expect(thread.head - thread.sent_seen + records <= shm::kRingRecords, 1);
}

inline void commit(Thread& thread, const Place& place) {
  __atomic_store_n(&place.record->sequence, static_cast<uint32_t>(place.at + 1), __ATOMIC_RELEASE);
  // Once more when a signal handler has recorded in between, or its records would be taken back.
  uint64_t head;
  do {
    head = __atomic_load_n(&thread.head, __ATOMIC_RELAXED);
    thread.ring->head.store(head, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } while (__builtin_expect(__atomic_load_n(&thread.head, __ATOMIC_RELAXED) != head, 0));
  if (__builtin_expect((place.at & (kQuarterRing - 1)) == kQuarterRing - 1, 0)) wake_sender_of_quarter_full_ring();
}

/// Puts a finished record into the ring; its sequence word is set here. False if it was dropped (counted).
inline bool publish(Thread& thread, const shm::Record& record) {
  if (!has_room(thread) && !make_room(thread, record.begin, record.end)) return false;
  const Place place = reserve(thread);
  *place.record = record;
  commit(thread, place);
  return true;
}

/// Spans closed by another thread, or out of order, leave a closed slot behind. A slot with id 0 is being opened: a
/// signal handler may find one.
inline void drop_closed_slots(Thread& thread) {
  uint32_t depth = thread.depth();
  while (depth > 0 && thread.ring->open[depth - 1].id.load(std::memory_order_relaxed) == shm::kClosedSlot) {
    thread.set_depth(--depth);
  }
}

inline uint32_t open_span(Thread& thread, uint8_t level, uint8_t kind, uint32_t name, uint32_t type, uint32_t input) {
  drop_closed_slots(thread);
  const uint32_t slot = thread.depth();
  if (__builtin_expect(slot == shm::kMaxOpenSpans, 0)) {
    thread.ring->too_deep.fetch_add(1, std::memory_order_relaxed);
    return kNoSlot;
  }
  shm::OpenSpan& span = thread.ring->open[slot];
  const uint32_t parent = slot == 0 ? 0 : thread.ring->open[slot - 1].id.load(std::memory_order_relaxed);
  const uint32_t id = take_next(thread.next_id) + 1;
  // The slot is taken before it is written: a signal handler's spans use those above it.
  thread.set_depth(slot + 1);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  span.name = name;
  span.type = type;
  span.parent = parent;
  span.level = level;
  span.kind = kind;
  span.input = input;
  thread.marks[slot].object = nullptr;
  thread.marks[slot].root = nullptr;
  thread.allocated_before[slot] = thread.allocated_bytes;
  span.begin = now();
  span.id.store(id, std::memory_order_release);
  return slot;
}

inline void abandon_spans(Thread& thread, uint32_t depth) {
  for (uint32_t slot = thread.depth(); slot > depth; --slot) {
    thread.ring->open[slot - 1].id.store(0, std::memory_order_relaxed);
  }
  thread.set_depth(depth);
}

inline void close_span(Thread& thread, uint32_t slot, uint64_t end, uint8_t kind, const SpanResult& result) {
  const shm::OpenSpan& span = thread.ring->open[slot];
  if (has_room(thread) || make_room(thread, span.begin, end)) {
    const Place place = reserve(thread);
    shm::Record& record = *place.record;
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
    record.flags = flags_of(result);
    record.correlation = result.correlation;
    commit(thread, place);
  }
  abandon_spans(thread, slot);
}

inline uint32_t record_span(Thread& thread, shm::Record span) {
  span.id = take_next(thread.next_id) + 1;
  span.record_type = static_cast<uint8_t>(shm::RecordType::kSpan);
  publish(thread, span);
  return span.id;
}

}  // namespace xsp::guest
