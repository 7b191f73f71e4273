#pragma once

/// Layout of the memfd that a guest shares with its collector: a header, the rings (one per thread), overflow areas
/// that rings borrow while their own places do not suffice, and an append-only arena of strings. The guest creates and
/// seals it and sends the descriptor with its Hello; the collector reads it after the guest's end, so that a killed
/// process leaves its finished spans, the calls in progress and their names behind.
///
/// The collector treats all of it as hostile: every offset, count and index is read once, checked against the size and
/// never trusted again. Sizes are fixed by F_SEAL_SHRINK | F_SEAL_GROW, without which the collector refuses it.
///
/// Offsets: [0, 4096) SharedHeader; rings at kRingsOffset + i * kRingStride; behind them the overflow areas, see
/// overflow_offset(); arena at header.arena_offset.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xsp::shm {

inline constexpr uint64_t kMagic = 0x31304d4853505358;  // "XSPSHM01", little-endian
inline constexpr uint32_t kLayoutVersion = 6;

inline constexpr size_t kPage = 4096;
inline constexpr uint32_t kMaxRings = 512;
inline constexpr uint32_t kRingRecords = 16384;  // 1 MiB of records; a power of two
/// Overflow areas of a process, and the records of one: 16 MiB, 20 ms of 12 million records a second. A multiple of
/// kRingRecords that divides 2^32, so that sequences of 32 bits find their places.
inline constexpr uint32_t kMaxOverflows = 8;
inline constexpr uint32_t kOverflowRecords = 262144;
static_assert(kOverflowRecords % kRingRecords == 0 && (uint64_t{1} << 32) % kOverflowRecords == 0);
inline constexpr uint32_t kMaxOpenSpans = 48;
inline constexpr size_t kDefaultArenaBytes = size_t{64} << 20;  // sparse: costs what is used

/// A file that calls into a library went to (xsp.UsedLibrary), as string ids.
struct UsedLibrary {
  std::atomic<uint32_t> library;
  std::atomic<uint32_t> file;
};
inline constexpr uint32_t kMaxUsedLibraries = 64;

/// First page. Written once by the guest before the handshake, except as noted.
struct SharedHeader {
  uint64_t magic;
  uint32_t layout_version;
  uint32_t pid;
  uint64_t total_bytes;
  uint64_t arena_offset;
  uint64_t arena_bytes;
  uint32_t ring_capacity;  // number of rings laid out, <= kMaxRings
  uint32_t clock;          // xsp.Clock of every time in the rings
  /// Rings ever taken; ring i < rings_used has been initialised.
  std::atomic<uint32_t> rings_used;
  /// 1 when the guest has finished sending and everything was taken off the rings.
  std::atomic<uint32_t> goodbye;
  /// End of the committed arena, relative to arena_offset. Entries below it never change.
  std::atomic<uint64_t> arena_committed;
  /// Strings committed; ids 1..string_count.
  std::atomic<uint32_t> string_count;
  uint32_t overflow_count;  // overflow areas laid out, <= kMaxOverflows
  /// Losses that belong to no ring, running totals by xsp.Loss.Reason.
  std::atomic<uint64_t> losses[16];
  /// The latest reading of the guest's clock, under a sequence lock (odd: being written). The collector prefers the
  /// ClockReading packets it received, and needs this only where none came.
  std::atomic<uint32_t> clock_sequence;
  /// Of `used_libraries`, those that are there; they do not change.
  std::atomic<uint32_t> used_library_count;
  std::atomic<uint64_t> clock_ticks[2];  // [0]: the first reading, [1]: the latest
  std::atomic<uint64_t> clock_ns[2];
  UsedLibrary used_libraries[kMaxUsedLibraries];
};
static_assert(sizeof(SharedHeader) <= kPage);

/// An arena entry: this head, then `length` bytes, padded to 8. Ids are implied by order: the n-th entry is id n.
struct ArenaEntry {
  uint32_t length;
  uint32_t hash;
};

/// What a record is; 0 is never written by the guest. A tag's fields: `id` the span, `scope` the ring of the span,
/// `end` the key's string id, `parent` the value's. An owner's: `id` the kernel thread id of the thread that took the
/// ring over, whose records follow.
enum class RecordType : uint8_t { kNone, kSpan, kTag, kArguments, kActivity, kGraphNode, kOwner };

/// One ring record. `sequence` is the record's ring sequence + 1, stored last: a record whose sequence does not match
/// its place was not finished. The words of 8 bytes that OpenSpan has too are laid out as there, so that closing a span
/// copies them whole.
struct alignas(64) Record {
  uint64_t begin;        // guest clock
  uint64_t end;          // guest clock
  uint32_t name;         // string id
  uint32_t type;         // string id
  uint32_t parent;       // span id on the same ring, 0: none
  uint32_t input;        // string id
  uint64_t bytes;        // allocated
  uint32_t shape;        // string id
  uint32_t scope;        // string id
  uint32_t id;           // span id
  uint8_t record_type;   // RecordType
  uint8_t level;         // xsp.Level
  uint8_t kind;          // xsp.Kind
  uint8_t flags;         // kFlag*
  uint32_t correlation;  // CUPTI's, of a call of the CUDA API; 0: none
  uint32_t sequence;     // low 32 bits of ring sequence + 1
};
static_assert(sizeof(Record) == 64);

/// What a call was asked to do, in the place of a Record: stands before the record of its span on the same ring. Values
/// that do not fit one record go on in the next, `part` counting from 0. Layout: proto/README.md.
inline constexpr size_t kArgumentBytes = 48;
inline constexpr size_t kMaxArgumentParts = 4;
struct alignas(64) ArgumentRecord {
  uint32_t span;  // span id
  uint8_t values[kArgumentBytes];
  uint8_t record_type;  // RecordType::kArguments
  uint8_t part;
  uint8_t length;  // bytes used of `values`
  uint8_t flags;
  uint32_t layout;  // string id
  uint32_t sequence;
};
static_assert(sizeof(ArgumentRecord) == sizeof(Record));
static_assert(offsetof(ArgumentRecord, record_type) == offsetof(Record, record_type));
static_assert(offsetof(ArgumentRecord, sequence) == offsetof(Record, sequence));

/// What CUPTI told of an execution, or of a call of the CUDA API whose callbacks could not be had; see
/// ActivityBatch. Times are CUPTI's, those of a stream interval the guest's.
struct alignas(64) ActivityRecord {
  uint64_t begin;
  uint64_t end;
  uint64_t graph_node;  // of a stream interval: the id of its model span
  uint64_t bytes;
  uint32_t correlation;    // of a stream interval: the ring of its model span
  uint32_t name;           // string ids
  uint32_t configuration;  // also the type of an API call
  uint32_t stream;
  uint32_t context;     // of an API call: its thread
  uint8_t record_type;  // RecordType::kActivity
  uint8_t device;
  uint8_t kind;   // xsp.Kind, which also tells the level
  uint8_t flags;  // kFlagFailed
  uint32_t graph;
  uint32_t sequence;
};
static_assert(sizeof(ActivityRecord) == sizeof(Record));
static_assert(offsetof(ActivityRecord, record_type) == offsetof(Record, record_type));
static_assert(offsetof(ActivityRecord, flags) == offsetof(Record, flags));
static_assert(offsetof(ActivityRecord, sequence) == offsetof(Record, sequence));

/// A node of a CUDA graph was made: by the calls inside `span`, or as a clone of `original`.
struct alignas(64) GraphNodeRecord {
  uint64_t node;  // CUPTI's ids
  uint64_t original;
  uint32_t span;  // innermost open span of this ring, 0: none
  uint32_t reserved[8];
  uint8_t record_type;  // RecordType::kGraphNode
  uint8_t reserved_bytes[3];
  uint32_t reserved_word;
  uint32_t sequence;
};
static_assert(sizeof(GraphNodeRecord) == sizeof(Record));
static_assert(offsetof(GraphNodeRecord, record_type) == offsetof(Record, record_type));
static_assert(offsetof(GraphNodeRecord, sequence) == offsetof(Record, sequence));

inline constexpr uint8_t kFlagHasBytes = 1;
/// The span began on another ring (an API span finished by another thread): `type` holds that thread's id and `shape`
/// that ring's index; id and parent are of that ring.
inline constexpr uint8_t kFlagForeign = 2;
/// The call ended by an exception.
inline constexpr uint8_t kFlagFailed = 4;

/// Backward work whose forward span is known: `scope` holds that span's ring + 1 and `correlation` its id.
inline constexpr uint8_t kFlagForward = 8;
/// An outermost model call that was not sampled: nothing inside it was recorded.
inline constexpr uint8_t kFlagShallow = 16;

/// A call in progress. Slots [0, depth) of the ring's stack are in use, outermost first. `id` is stored last on push
/// and cleared first on pop, so a slot with id 0 is torn or free. kClosedSlot: closed by another thread or out of
/// order, not yet popped by its owner.
inline constexpr uint32_t kClosedSlot = UINT32_MAX;
struct OpenSpan {
  uint64_t begin;
  uint32_t name;
  uint32_t type;
  uint32_t parent;
  uint32_t input;
  std::atomic<uint32_t> id;
  uint8_t record_type;  // RecordType::kSpan
  uint8_t level;
  uint8_t kind;
  uint8_t flags;  // of level model only: kFlagShallow
};
static_assert(sizeof(OpenSpan) == 32);
static_assert(offsetof(Record, type) - offsetof(Record, name) == offsetof(OpenSpan, type) - offsetof(OpenSpan, name));
static_assert(offsetof(Record, input) - offsetof(Record, parent) ==
              offsetof(OpenSpan, input) - offsetof(OpenSpan, parent));
static_assert(offsetof(Record, flags) - offsetof(Record, id) == offsetof(OpenSpan, flags) - offsetof(OpenSpan, id));

enum class RingState : uint32_t { kUnused = 0, kActive = 1, kRetired = 2 };

/// The records of a ring from `begin` on, up to where the next stretch begins, lie in this memory: 0: the ring's own,
/// else overflow area `memory` - 1. Before the first stretch they lie in the ring's own.
struct Stretch {
  std::atomic<uint64_t> begin;
  std::atomic<uint32_t> memory;
};
inline constexpr uint32_t kStretches = 4;

/// Head of a ring; one thread produces, the guest's sender thread consumes. Places in [sent, head) are taken and not
/// yet sent; the last ones may be unfinished, which their sequences tell. A ring whose thread ended is retired, and may
/// be taken over by a later thread, behind what the sender has yet to take: its first record is then its owner's mark
/// (RecordType::kOwner). head, sent and ids go on counting.
///
/// A thread whose ring is full goes on in an overflow area, and comes back to the ring's own places when the sender has
/// caught up; `stretches` tells which records lie where. A record is never written over one that was not sent: whatever
/// memory it lies in, fewer records than that holds are unsent.
struct RingHeader {
  // Producer's line.
  alignas(64) std::atomic<uint64_t> head;      // places ever taken
  std::atomic<uint32_t> depth;                 // of the open-span stack
  std::atomic<uint32_t> next_id;               // ids used, of all owners
  std::atomic<uint64_t> hook_ticks;            // guest clock: of hooks, extrapolated (inject/record/hook_times.h)
  std::atomic<uint64_t> unsampled_hook_ticks;  // those of them that recorded nothing
  std::atomic<uint64_t> hooks_timed;
  std::atomic<uint32_t> state;   // RingState
  std::atomic<uint32_t> thread;  // kernel thread id of the owner, the latest one
  // Consumer's line.
  alignas(64) std::atomic<uint64_t> sent;  // records handed to the socket, whole batches only
  std::atomic<uint32_t> sent_thread;       // whose record the one at `sent` is, if it is no owner's mark
  // What is seldom written, by the producer.
  alignas(64) std::atomic<uint64_t> dropped;  // spans lost because the ring was full
  std::atomic<uint64_t> too_deep;             // spans lost because the open-span stack was full
  std::atomic<uint64_t> first_drop;           // guest clock
  std::atomic<uint64_t> last_drop;
  std::atomic<uint64_t> stretch_count;        // stretches ever begun; those that may hold unsent records are there
  alignas(64) Stretch stretches[kStretches];  // stretch i, counted from 1, at (i - 1) % kStretches
  alignas(64) OpenSpan outside;               // around open[0]: all zero, and so the id of no span
  OpenSpan open[kMaxOpenSpans];
};
static_assert(sizeof(RingHeader) <= kPage);
static_assert(offsetof(RingHeader, sent) == 64);
static_assert(offsetof(RingHeader, open) == offsetof(RingHeader, outside) + sizeof(OpenSpan));

/// The slot of the innermost open span, `outside` where there is none.
inline const OpenSpan* innermost(const RingHeader* ring, uint32_t depth) {
  const auto* base = reinterpret_cast<const uint8_t*>(ring) + offsetof(RingHeader, outside);
  return reinterpret_cast<const OpenSpan*>(base) + depth;
}

/// The records of a ring lie behind the page of its head.
inline Record* records_of(RingHeader* ring) {
  return reinterpret_cast<Record*>(reinterpret_cast<uint8_t*>(ring) + kPage);
}

/// Where a record lies: in which memory (as Stretch has it), and up to which sequence the records after it lie there,
/// too.
struct Placement {
  uint32_t memory;
  uint64_t end;
};
inline Placement placement_of(const RingHeader& ring, uint64_t at) {
  const uint64_t count = ring.stretch_count.load(std::memory_order_acquire);
  uint64_t end = UINT64_MAX;
  for (uint64_t i = count; i > 0 && count - i < kStretches; --i) {
    const Stretch& stretch = ring.stretches[(i - 1) % kStretches];
    const uint64_t begin = stretch.begin.load(std::memory_order_relaxed);
    if (begin <= at) return {stretch.memory.load(std::memory_order_relaxed), end};
    end = begin;
  }
  return {0, end};
}

/// How many records a memory holds: a record's place in it is its sequence modulo that.
inline uint32_t records_in(uint32_t memory) { return memory == 0 ? kRingRecords : kOverflowRecords; }

/// Most places before `head` that may be unfinished: one per signal handler that records inside another's recording.
inline constexpr uint64_t kMaxUnfinished = 16;

/// Whether the place's record was being written when its process died: it has the sequence of an earlier lap, of any
/// ring that had the memory, or none.
inline bool is_unfinished(const Record& record, uint64_t at, uint64_t head) {
  const auto own = static_cast<uint32_t>(at + 1);
  const bool is_of_place = (record.sequence - own) % kRingRecords == 0 || record.sequence == 0;
  return head - at <= kMaxUnfinished && record.sequence != own && is_of_place;
}

inline constexpr size_t kRingsOffset = kPage;
inline constexpr size_t kRingStride = kPage + size_t{kRingRecords} * sizeof(Record);

inline constexpr uint64_t kOverflowBytes = uint64_t{kOverflowRecords} * sizeof(Record);

/// Where overflow area `index` begins, behind this many rings.
constexpr uint64_t overflow_offset(uint32_t rings, uint32_t index) {
  return kRingsOffset + rings * uint64_t{kRingStride} + index * kOverflowBytes;
}

/// Size of the memfd for this many rings and overflow areas.
constexpr uint64_t total_bytes(uint32_t rings, uint32_t overflows, uint64_t arena_bytes) {
  return overflow_offset(rings, overflows) + arena_bytes;
}

}  // namespace xsp::shm
