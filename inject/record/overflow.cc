#include "inject/record/overflow.h"

#include "inject/guard/signal_guard.h"
#include "inject/record/span.h"

namespace xsp::guest {
namespace {

/// A ring that has more than this unsent stays in its overflow area: its own places would soon be full again.
constexpr uint64_t kMostUnsent = shm::kRingRecords / 2;

constexpr uint32_t borrowed_by(uint32_t ring) { return (ring + 1) * 2; }
constexpr uint32_t in_use_by(uint32_t ring) { return borrowed_by(ring) + 1; }

/// Whether no record of the thread is being written. A signal handler may have interrupted one whose place is taken,
/// but whose address is still to be read: that must not change.
bool is_nothing_unfinished(const Thread& thread) {
  const uint64_t head = thread.ring->head.load(std::memory_order_relaxed);
  const shm::Record* records = thread.records.load(std::memory_order_relaxed);
  const uint32_t mask = thread.record_mask.load(std::memory_order_relaxed);
  // A stretch begins where nothing was unfinished.
  const uint64_t begin = thread.stretch_begin;
  for (uint64_t at = head; at > begin && head - at < shm::kMaxUnfinished; --at) {
    if (records[(at - 1) & mask].sequence != static_cast<uint32_t>(at)) return false;
  }
  return true;
}

bool is_any_free(const Process& process, uint32_t ring) {
  for (uint32_t i = 0; i < process.region.header()->overflow_count; ++i) {
    const uint32_t owner = process.overflow.owners[i].load(std::memory_order_relaxed);
    if (owner == 0 || owner == borrowed_by(ring)) return true;
  }
  return false;
}

/// The memory (as shm::Stretch has it) of an area for the ring: the one that it left and still has records in, else a
/// free one; 0: none.
uint32_t borrow(Process& process, uint32_t ring) {
  const uint32_t count = process.region.header()->overflow_count;
  for (uint32_t wanted : {borrowed_by(ring), 0U}) {
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t owner = wanted;
      if (process.overflow.owners[i].compare_exchange_strong(owner, in_use_by(ring), std::memory_order_acq_rel)) {
        return i + 1;
      }
    }
  }
  return 0;
}

/// The ring's records from its head on lie in `memory`.
void begin_stretch(shm::RingHeader& ring, uint32_t memory) {
  const uint64_t count = ring.stretch_count.load(std::memory_order_relaxed);
  shm::Stretch& stretch = ring.stretches[count % shm::kStretches];
  stretch.begin.store(ring.head.load(std::memory_order_relaxed), std::memory_order_relaxed);
  stretch.memory.store(memory, std::memory_order_relaxed);
  ring.stretch_count.store(count + 1, std::memory_order_release);
}

/// The area that the ring uses becomes free once all of its records in it have been sent.
void leave(Process& process, uint32_t ring, uint32_t memory) {
  process.overflow.owners[memory - 1].store(borrowed_by(ring), std::memory_order_release);
}

/// Whether every unsent record lies in the ring's latest stretch. Until then only a stretch in an area may begin: there
/// is room for so many.
bool is_one_stretch(const Thread& thread) {
  return thread.ring->sent.load(std::memory_order_acquire) >= thread.stretch_begin;
}

bool may_return(const Thread& thread) {
  const uint64_t sent = thread.ring->sent.load(std::memory_order_acquire);
  return is_one_stretch(thread) && thread.ring->head.load(std::memory_order_relaxed) - sent < kMostUnsent &&
         is_nothing_unfinished(thread);
}

}  // namespace

void find_places(Thread& thread, const shm::RingHeader& ring, const SharedRegion& region) {
  const uint64_t count = ring.stretch_count.load(std::memory_order_relaxed);
  const uint32_t memory = shm::placement_of(ring, UINT64_MAX).memory;
  thread.memory = memory;
  thread.stretch_begin =
      count == 0 ? 0 : ring.stretches[(count - 1) % shm::kStretches].begin.load(std::memory_order_relaxed);
  thread.records.store(region.memory_of(thread.ring_index, memory), std::memory_order_relaxed);
  thread.record_mask.store(shm::records_in(memory) - 1, std::memory_order_relaxed);
}

bool spill(Thread& thread, Process& process) {
  if (thread.memory != 0 || !is_any_free(process, thread.ring_index)) return false;
  // Between the changes a signal handler that records would find places that do not belong together.
  const SignalGuard signal_guard;
  if (thread.memory != 0 || !is_nothing_unfinished(thread)) return thread.memory != 0;
  const uint32_t memory = borrow(process, thread.ring_index);
  if (memory == 0) return false;
  begin_stretch(*thread.ring, memory);
  find_places(thread, *thread.ring, process.region);
  return true;
}

void return_to_ring(Thread& thread, Process& process) {
  if (!may_return(thread)) return;
  const SignalGuard signal_guard;
  if (thread.memory == 0 || !may_return(thread)) return;
  const uint32_t memory = thread.memory;
  begin_stretch(*thread.ring, 0);
  find_places(thread, *thread.ring, process.region);
  leave(process, thread.ring_index, memory);
}

void return_retired(Process& process, uint32_t index) {
  shm::RingHeader& ring = *process.ring(index);
  const uint32_t memory = shm::placement_of(ring, UINT64_MAX).memory;
  if (memory == 0 || ring.state.load(std::memory_order_acquire) != static_cast<uint32_t>(shm::RingState::kRetired) ||
      ring.sent.load(std::memory_order_relaxed) != ring.head.load(std::memory_order_relaxed)) {
    return;
  }
  begin_stretch(ring, 0);
  leave(process, index, memory);
}

}  // namespace xsp::guest
