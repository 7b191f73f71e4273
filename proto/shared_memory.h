#pragma once

/// Layout of the memfd that a guest shares with its collector: a header, the rings (one per thread), and an append-only
/// arena of strings. The guest creates and seals it and sends the descriptor with its Hello; the collector reads it
/// after the guest's end, so that a killed process leaves its finished spans, the calls in progress and their names
/// behind.
///
/// The collector treats all of it as hostile: every offset, count and index is read once, checked against the size and
/// never trusted again. Sizes are fixed by F_SEAL_SHRINK | F_SEAL_GROW, without which the collector refuses it.
///
/// Offsets: [0, 4096) SharedHeader; rings at kRingsOffset + i * kRingStride; arena at header.arena_offset.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xsp::shm {

inline constexpr uint64_t kMagic = 0x31304d4853505358;  // "XSPSHM01", little-endian
inline constexpr uint32_t kLayoutVersion = 5;

inline constexpr size_t kPage = 4096;
inline constexpr uint32_t kMaxRings = 512;
inline constexpr uint32_t kRingRecords = 16384;  // 1 MiB of records; a power of two
inline constexpr uint32_t kMaxOpenSpans = 48;
inline constexpr size_t kDefaultArenaBytes = size_t{64} << 20;  // sparse: costs what is used

/// A file that calls into a library went to (xsp.UsedLibrary), as string ids.
struct UsedLibrary {
  std::atomic<uint32_t> library;
  std::atomic<uint32_t> file;
};
inline constexpr uint32_t kMaxUsedLibraries = 64;

/// First page. Written once by the guest before the handshake, except where said.
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
  uint32_t reserved;
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
inline constexpr size_t kArgumentBytes = 44;
inline constexpr size_t kMaxArgumentParts = 4;
struct alignas(64) ArgumentRecord {
  uint32_t span;    // span id
  uint32_t layout;  // string id
  uint8_t values[kArgumentBytes];
  uint8_t record_type;  // RecordType::kArguments
  uint8_t part;
  uint8_t length;  // bytes used of `values`
  uint8_t flags;
  uint32_t reserved;
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

/// Head of a ring; one thread produces, the guest's sender thread consumes. Places in [sent, head) are taken and not
/// yet sent; the last ones may be unfinished, which their sequences tell. A ring whose thread ended is retired, and may
/// be taken over by a later thread, behind what the sender has yet to take: its first record is then its owner's mark
/// (RecordType::kOwner). head, sent and ids go on counting.
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
  alignas(64) OpenSpan outside;  // around open[0]: all zero, and so the id of no span
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

/// Places in front of `head` that may be unfinished: one a signal handler that records inside another's recording.
inline constexpr uint64_t kMaxUnfinished = 16;

/// Whether the place's record was being written when its process died: it has the sequence of the lap before.
inline bool is_unfinished(const Record& record, uint64_t at, uint64_t head) {
  const auto before = at < kRingRecords ? 0 : static_cast<uint32_t>(at - kRingRecords + 1);
  return head - at <= kMaxUnfinished && record.sequence == before;
}

inline constexpr size_t kRingsOffset = kPage;
inline constexpr size_t kRingStride = kPage + size_t{kRingRecords} * sizeof(Record);

/// Size of the memfd for this many rings.
constexpr uint64_t total_bytes(uint32_t rings, uint64_t arena_bytes) {
  return kRingsOffset + rings * uint64_t{kRingStride} + arena_bytes;
}

}  // namespace xsp::shm
