#include "inject/send/ring_memory.h"

#include <sys/mman.h>

#include <algorithm>

#include "inject/record/thread.h"

namespace xsp::guest {
namespace {

/// How long the memory of a free area is kept: bursts come again.
constexpr uint64_t kKeptNs = 2'000'000'000;

constexpr size_t kRingBytes = size_t{shm::kRingRecords} * sizeof(shm::Record);

}  // namespace

void RingMemory::fault_in_busy_rings() {
  const uint32_t used = process_.region.header()->rings_used.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < used; ++i) {
    const uint64_t written = process_.ring(i)->head.load(std::memory_order_relaxed) * sizeof(shm::Record);
    const size_t before = std::max(faulted_in_[i], kFirstTouch);
    size_t bytes = before;
    while (bytes < kRingBytes && written >= bytes / 2) bytes *= kTouchedGrowth;
    if (bytes > before) madvise(process_.region.memory_of(i, 0), bytes, MADV_POPULATE_WRITE);
    faulted_in_[i] = bytes;
  }
}

void RingMemory::keep_overflow_areas() {
  const uint32_t count = process_.region.header()->overflow_count;
  for (uint32_t area = 0; area < count; ++area) {
    const uint32_t owner = process_.overflow.owners[area].load(std::memory_order_acquire);
    if (owner == 0) {
      // One that was needed is soon needed again, and then at another place.
      if (areas_[area].was_used) fault_in_from(area, 0);
      if (areas_[area].has_memory) give_back(area);
      continue;
    }
    areas_[area].has_memory = true;
    areas_[area].was_used = true;
    areas_[area].free_since_ns = 0;
    const uint32_t ring = owner / 2 - 1;
    if (owner % 2 == 0) {
      free_if_sent(area, ring);
    } else if (process_.ring(ring)->state.load(std::memory_order_acquire) ==
               static_cast<uint32_t>(shm::RingState::kRetired)) {
      const LockGuard lock(process_.lock);
      return_retired(process_, ring);
    } else {
      fault_in_from(area, process_.ring(ring)->head.load(std::memory_order_relaxed));
    }
  }
  prepare_area();
}

/// One slice a round, as the rings have to be emptied meanwhile: the first one that is not there from this record on.
void RingMemory::fault_in_from(uint32_t area, uint64_t head) {
  constexpr uint32_t kSliceRecords = shm::kOverflowRecords / kSlices;
  constexpr uint32_t kAllSlices = (uint32_t{1} << kSlices) - 1;
  uint32_t& faulted_in = areas_[area].faulted_in;
  if (faulted_in == kAllSlices) return;
  uint32_t slice = static_cast<uint32_t>(head / kSliceRecords) % kSlices;
  while ((faulted_in >> slice & 1) != 0) slice = (slice + 1) % kSlices;
  shm::Record* records = process_.region.memory_of(0, area + 1) + size_t{slice} * kSliceRecords;
  madvise(records, kSliceRecords * sizeof(shm::Record), MADV_POPULATE_WRITE);
  faulted_in |= uint32_t{1} << slice;
}

/// For a ring that was half full when this thread came, as it may come too late the next time: faults in where the ring
/// would write to, in the area that it would take. No record is touched, so it does not matter whose the area is by
/// then.
void RingMemory::prepare_area() {
  const uint32_t used = process_.region.header()->rings_used.load(std::memory_order_acquire);
  const uint32_t count = process_.region.header()->overflow_count;
  for (uint32_t i = 0; i < used; ++i) {
    const shm::RingHeader& ring = *process_.ring(i);
    const uint64_t before = sent_before_[i];
    sent_before_[i] = ring.sent.load(std::memory_order_relaxed);
    if (sent_before_[i] - before < shm::kRingRecords / 2 || shm::placement_of(ring, UINT64_MAX).memory != 0) continue;
    for (uint32_t area = 0; area < count; ++area) {
      if (process_.overflow.owners[area].load(std::memory_order_relaxed) != 0) continue;
      areas_[area].has_memory = true;
      areas_[area].free_since_ns = 0;
      fault_in_from(area, ring.head.load(std::memory_order_relaxed));
      return;
    }
  }
}

/// What is unsent of the ring must lie behind its records in the area. `sent` is moved by this thread alone, so the
/// ring cannot take the area again and leave it meanwhile; if it takes it, the exchange fails.
void RingMemory::free_if_sent(uint32_t area, uint32_t ring) {
  const shm::RingHeader& from = *process_.ring(ring);
  const uint64_t sent = from.sent.load(std::memory_order_relaxed);
  if (shm::placement_of(from, sent).memory == area + 1) return;
  uint32_t owner = (ring + 1) * 2;
  process_.overflow.owners[area].compare_exchange_strong(owner, 0, std::memory_order_acq_rel);
}

void RingMemory::give_back(uint32_t area) {
  Area& own = areas_[area];
  const uint64_t time = nanoseconds(CLOCK_MONOTONIC);
  if (own.free_since_ns == 0) own.free_since_ns = time;
  if (time - own.free_since_ns < kKeptNs) return;
  uint32_t owner = 0;
  if (!process_.overflow.owners[area].compare_exchange_strong(owner, kGivenBack, std::memory_order_acq_rel)) return;
  madvise(process_.region.memory_of(0, area + 1), shm::kOverflowBytes, MADV_REMOVE);
  own = {};
  process_.overflow.owners[area].store(0, std::memory_order_release);
}

}  // namespace xsp::guest
