#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "inject/record/thread.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

/// Kinds of calls that more than one floor records.
inline constexpr auto kKindLibraryCall = static_cast<uint8_t>(wire::Kind::kLibraryCall);
inline constexpr auto kKindRuntimeCall = static_cast<uint8_t>(wire::Kind::kRuntimeCall);
inline constexpr auto kKindDriverCall = static_cast<uint8_t>(wire::Kind::kDriverCall);

/// What is known of a span when it ends. String ids are those of intern().
struct SpanResult {
  uint32_t shape = 0;
  uint32_t scope = 0;
  uint64_t bytes = 0;
  uint32_t correlation = 0;  // CUPTI's, of a call of the CUDA API
  bool has_bytes = false;
  bool failed = false;
  bool has_forward = false;  // `scope` and `correlation` are those of shm::kFlagForward
};

inline uint8_t flags_of(const SpanResult& result) {
  return static_cast<uint8_t>((result.has_bytes ? shm::kFlagHasBytes : 0) | (result.failed ? shm::kFlagFailed : 0) |
                              (result.has_forward ? shm::kFlagForward : 0));
}

/// Opens a span on the thread's stack and returns its slot, or kNoSlot when the stack is full (counted). The begin time
/// is read last, so that our own work lies outside. `this_thread` must be `thread`.
inline constexpr uint32_t kNoSlot = UINT32_MAX;
inline uint32_t open_span(Thread& thread, uint8_t level, uint8_t kind, uint32_t name, uint32_t type, uint32_t input);

/// Closes the innermost span, which lies in `slot`, and records it. `kind` 0 keeps that of the opening. Spans that were
/// opened inside it and never closed are forgotten.
inline void close_span(Thread& thread, uint32_t slot, uint64_t end, uint8_t kind, const SpanResult& result);

/// Forgets the innermost open spans down to `depth`, recording nothing.
inline void abandon_spans(Thread& thread, uint32_t depth);

/// Records a span that the caller filled in itself, times and parent included. Sets its id and returns it.
inline uint32_t record_span(Thread& thread, shm::Record& span);

/// Whether the ring has room for this many records. Waits for room if the user chose that (--on-full=block), and wakes
/// the sender if there is much to send. Counts no loss.
bool find_room(Thread& thread, uint32_t records);

/// Makes sure of room for one record, or counts its loss. True if there is room now.
bool make_room(Thread& thread, uint64_t begin, uint64_t end);

/// A place in the ring into which a record is being written.
struct Place {
  shm::Record* record;
  uint64_t at;
};

/// Adds and returns the value before, in one instruction, so that a signal handler that records in between gets another
/// value. No `lock` prefix: only the thread that owns the counter counts.
template <typename Word>
inline Word take_next(std::atomic<Word>& counter, Word value = 1) {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  asm volatile("xadd %0, %1" : "+r"(value), "+m"(counter));
  return value;
#else
  return counter.fetch_add(value, std::memory_order_relaxed);
#endif
}

/// The id after the last possible one has been given out.
uint32_t first_span_id_again(shm::RingHeader* ring);

/// The id of a new span of the ring. After the last possible id they start again; 0 and kClosedSlot are never a span's.
inline uint32_t next_span_id(shm::RingHeader* ring) {
  const uint32_t id = take_next(ring->next_id) + 1;
  return __builtin_expect(id + 1 > 1, 1) ? id : first_span_id_again(ring);
}

/// A word of two or more fields, written and read at once: a load that is wider than the store before it cannot take
/// its value from the store buffer, and waits until that has reached the cache.
using FieldWord [[gnu::may_alias]] = uint64_t;
template <typename Field>
inline FieldWord* word_at(Field* first) {
  return reinterpret_cast<FieldWord*>(first);
}
constexpr uint64_t pack_words(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

/// Keeps the compiler from moving stores that a signal handler, or the collector after a kill, must find in order.
inline void keep_order() { std::atomic_signal_fence(std::memory_order_seq_cst); }

/// Takes the next place; the reader stops at it until its sequence word is there.
inline Place reserve(Thread& thread, shm::RingHeader* ring) {
  const uint64_t at = take_next(ring->head);
  // Where it lies is read after it has been taken: from then on no signal handler changes that (spill()).
  keep_order();
  const uint64_t place = at & thread.record_mask.load(std::memory_order_relaxed);
  return {thread.records.load(std::memory_order_relaxed) + place, at};
}
inline Place reserve(Thread& thread) { return reserve(thread, thread.ring); }

inline bool has_room(const Thread& thread, uint32_t records = 1) {
  return __builtin_expect(thread.ring->head.load(std::memory_order_relaxed) + (records - 1) < thread.look_at, 1);
}

inline void commit(const Place& place) {
  __atomic_store_n(&place.record->sequence, static_cast<uint32_t>(place.at + 1), __ATOMIC_RELEASE);
}

/// The same together with the word in front of the sequence: `correlation`, or what a record of another type has there.
inline void commit_with(const Place& place, uint32_t word) {
  keep_order();
  const auto sequence = static_cast<uint32_t>(place.at + 1);
#if defined(__SANITIZE_THREAD__)  // which pairs stores only with loads of the same width
  place.record->correlation = word;
  __atomic_store_n(&place.record->sequence, sequence, __ATOMIC_RELEASE);
#else
  __atomic_store_n(word_at(&place.record->correlation), pack_words(word, sequence), __ATOMIC_RELEASE);
#endif
}

/// Copies a record of any type, but not its sequence word: until commit() the place has that of the lap before, by
/// which it is known to be unfinished (shm::is_unfinished).
inline void copy_record(const Place& place, const void* record) {
  memcpy(static_cast<void*>(place.record), record, offsetof(shm::Record, sequence));
}

/// Puts a finished record into the ring; its sequence word is set here. False if it was dropped (counted).
inline bool publish(Thread& thread, const shm::Record& record) {
  if (!has_room(thread) && !make_room(thread, record.begin, record.end)) return false;
  const Place place = reserve(thread);
  copy_record(place, &record);
  commit(place);
  return true;
}

/// Spans that were closed by another thread, or out of order, leave a closed slot on the stack. A slot with id 0 is one
/// that is being opened. A signal handler may find one and must not take it for closed; so a dropped slot is cleared
/// before the depth goes down.
void drop_closed_slots_from(Thread& thread, uint32_t depth);
inline void drop_closed_slots(Thread& thread) {
  const uint32_t depth = thread.depth();
  if (__builtin_expect(shm::innermost(thread.ring, depth)->id.load(std::memory_order_relaxed) == shm::kClosedSlot, 0)) {
    drop_closed_slots_from(thread, depth);
  }
}

/// The same pointer, of which the compiler does not know how it was computed: else it computes it anew for each field.
template <typename Pointed>
inline Pointed* in_register(Pointed* pointer) {
  asm("" : "+r"(pointer));
  return pointer;
}

/// The slot above `depth` open spans; below it lies that of their innermost one, or `outside`.
inline shm::OpenSpan* slot_above(shm::RingHeader* ring, uint32_t depth) {
  static_assert(offsetof(shm::RingHeader, open) == offsetof(shm::RingHeader, outside) + sizeof(shm::OpenSpan));
  return in_register(const_cast<shm::OpenSpan*>(shm::innermost(ring, depth))) + 1;
}

/// From this id on ids start again soon, which next_span_id() sees to and shorter ways leave to it.
inline constexpr uint32_t kLastId = UINT32_MAX - 1024;

/// What a slot says of its span beside the id.
constexpr uint32_t what_of(uint8_t level, uint8_t kind) {
  return uint32_t{kind} << 16 | uint32_t{level} << 8 | static_cast<uint32_t>(shm::RecordType::kSpan);
}

/// Takes the slot, which is the next one of the ring and lies above `depth` others, for a span with this id: name and
/// type, parent and input as words, and what_of() it is. `clock` is read last.
template <uint64_t clock() = now>
inline void fill_slot(shm::RingHeader* ring, uint32_t depth, shm::OpenSpan& span, uint64_t names, uint64_t parents,
                      uint32_t what, uint32_t id) {
  // The slot is taken before it is written, so that spans of a signal handler use those above it.
  ring->depth.store(depth + 1, std::memory_order_relaxed);
  keep_order();
  *word_at(&span.name) = names;
  *word_at(&span.parent) = parents;
  span.begin = clock();
  __atomic_store_n(word_at(&span.id), pack_words(id, what), __ATOMIC_RELEASE);
}

inline uint32_t open_span(Thread& thread, uint8_t level, uint8_t kind, uint32_t name, uint32_t type, uint32_t input) {
  drop_closed_slots(thread);
  shm::RingHeader* ring = thread.ring;
  const uint32_t slot = thread.depth();
  if (__builtin_expect(slot == shm::kMaxOpenSpans, 0)) {
    take_next(ring->too_deep);
    return kNoSlot;
  }
  shm::OpenSpan* span = slot_above(ring, slot);
  const uint32_t parent = (span - 1)->id.load(std::memory_order_relaxed);
  fill_slot(ring, slot, *span, pack_words(name, type), pack_words(parent, input), what_of(level, kind),
            next_span_id(ring));
  return slot;
}

inline void abandon_spans(Thread& thread, uint32_t depth) {
  for (uint32_t slot = thread.depth(); slot > depth; --slot) {
    thread.ring->open[slot - 1].id.store(0, std::memory_order_relaxed);
  }
  thread.set_depth(depth);
}

/// Records the span that lies in a slot of the ring, which must have room.
inline void write_closed(Thread& thread, shm::RingHeader* ring, shm::OpenSpan& span, uint64_t end, uint8_t kind,
                         const SpanResult& result) {
  const Place place = reserve(thread, ring);
  shm::Record& record = *place.record;
  record.begin = span.begin;
  record.end = end;
  *word_at(&record.name) = *word_at(&span.name);
  *word_at(&record.parent) = *word_at(&span.parent);
  record.bytes = result.bytes;
  record.shape = result.shape;
  record.scope = result.scope;
  uint64_t what = *word_at(&span.id) | uint64_t{flags_of(result)} << 56;
  if (kind != 0) what = (what & ~(uint64_t{0xff} << 48)) | uint64_t{kind} << 48;
  *word_at(&record.id) = what;
  commit_with(place, result.correlation);
}

inline void close_span(Thread& thread, uint32_t slot, uint64_t end, uint8_t kind, const SpanResult& result) {
  shm::OpenSpan& span = *in_register(&thread.ring->open[slot]);
  if (has_room(thread) || make_room(thread, span.begin, end))
    write_closed(thread, thread.ring, span, end, kind, result);
  if (__builtin_expect(thread.depth() == slot + 1, 1)) {
    span.id.store(0, std::memory_order_relaxed);
    keep_order();
    thread.set_depth(slot);
  } else {
    abandon_spans(thread, slot);
  }
}

inline uint32_t record_span(Thread& thread, shm::Record& span) {
  span.id = next_span_id(thread.ring);
  span.record_type = static_cast<uint8_t>(shm::RecordType::kSpan);
  publish(thread, span);
  return span.id;
}

}  // namespace xsp::guest
