#include "inject/ranges/open_ranges.h"

#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/ranges/range_stack.h"
#include "inject/ranges/range_text.h"

namespace xsp::guest {
namespace {

/// A handle is a number that counts up, and in its low digits the place in the table.
constexpr uint64_t kNoPlace = kMaxOpenRanges;
constexpr uint64_t kPlaces = 2 * uint64_t{kMaxOpenRanges};
constexpr uint64_t kBusy = UINT64_MAX;

struct OpenRange {
  std::atomic<uint64_t> handle;  // 0: free; kBusy: being written or read
  uint64_t begin;
  uint32_t name;
  uint32_t type;
  uint32_t span;
  uint32_t parent;
  uint32_t ring;
  uint32_t thread;
  uint8_t kind;
  bool opens_window;
};

/// Identifies a range among the few that hold the recording window open; not 0.
uint32_t range_number(uint64_t handle) { return static_cast<uint32_t>(handle / kPlaces) | 0x8000'0000; }

/// On pages that a fork wipes: a child must not end its parent's ranges.
constinit std::atomic<OpenRange*> table{nullptr};
constinit std::atomic<uint64_t> last_number{0};

OpenRange* open_ranges() {
  OpenRange* known = table.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  const ErrnoGuard errno_guard;
  auto* fresh = static_cast<OpenRange*>(allocate_fork_wiped(sizeof(OpenRange) * kMaxOpenRanges));
  if (fresh == nullptr) return nullptr;
  if (table.compare_exchange_strong(known, fresh)) return fresh;
  release_fork_wiped(fresh, sizeof(OpenRange) * kMaxOpenRanges);
  return known;
}

/// Takes a free place, which is busy from now on; kNoPlace when all are taken. The search starts where the last handle
/// lay.
uint64_t take_place(OpenRange* ranges, uint64_t number) {
  if (ranges == nullptr) return kNoPlace;
  for (uint64_t i = 0; i < kMaxOpenRanges; ++i) {
    const uint64_t place = (number + i) % kMaxOpenRanges;
    uint64_t expected = 0;
    if (ranges[place].handle.load(std::memory_order_relaxed) == 0 &&
        ranges[place].handle.compare_exchange_strong(expected, kBusy, std::memory_order_acquire)) {
      return place;
    }
  }
  return kNoPlace;
}

}  // namespace

uint64_t start_range(const RangeDomain& domain, uint32_t name) {
  if (name == 0) name = range_text("range");
  const uint32_t opening = is_awaited(name, domain.name) ? begin_opening() : 0;
  Thread* thread = opening != 0 ? opening_thread() : range_thread(domain);
  if (thread == nullptr) {
    drop_opening(opening);
    return 0;
  }
  const uint64_t number = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  OpenRange* ranges = open_ranges();
  const uint64_t place = take_place(ranges, number);
  const uint64_t handle = number * kPlaces + place;
  if (place == kNoPlace) {
    // A handle all the same: the program may take 0 for an error.
    thread->ring->too_deep.fetch_add(1, std::memory_order_relaxed);
    drop_opening(opening);
    return handle;
  }
  drop_closed_slots(*thread);
  const uint32_t depth = thread->depth();
  OpenRange& range = ranges[place];
  range.name = name;
  range.type = domain.name;
  range.parent = depth == 0 ? 0 : thread->ring->open[depth - 1].id.load(std::memory_order_relaxed);
  range.span = next_span_id(thread->ring);
  range.ring = thread->ring_index;
  range.thread = thread->thread_id;
  range.kind = static_cast<uint8_t>(domain.kind);
  range.begin = now();
  range.opens_window = opening != 0;
  if (opening != 0) set_opening(opening, kNoRing, range_number(handle));
  range.handle.store(handle, std::memory_order_release);
  return handle;
}

void end_range(uint64_t handle, uint64_t end) {
  const uint64_t place = handle % kPlaces;
  OpenRange* ranges = table.load(std::memory_order_acquire);
  if (handle < kPlaces || place >= kMaxOpenRanges || ranges == nullptr) return;
  Thread* thread = ending_thread();
  if (thread == nullptr) return;
  OpenRange& range = ranges[place];
  uint64_t expected = handle;
  // Of several threads that end the range one succeeds, and a handle of an earlier range finds another number here.
  if (!range.handle.compare_exchange_strong(expected, kBusy, std::memory_order_acquire)) return;
  shm::Record record{};
  record.begin = range.begin;
  record.end = end;
  record.id = range.span;
  record.parent = range.parent;
  record.name = range.name;
  record.type = range.type;
  record.record_type = static_cast<uint8_t>(shm::RecordType::kSpan);
  record.level = static_cast<uint8_t>(wire::Level::kApplication);
  record.kind = range.kind;
  if (range.ring != thread->ring_index) {
    // A foreign span: its type and shape fields carry the thread and the ring of its begin.
    record.type = range.thread;
    record.shape = range.ring;
    record.flags = shm::kFlagForeign;
  }
  const bool opens_window = range.opens_window;
  range.handle.store(0, std::memory_order_release);
  publish(*thread, record);
  if (opens_window) span_ended(kNoRing, range_number(handle));
}

}  // namespace xsp::guest
