#pragma once

#include <atomic>
#include <cstdint>

#include "proto/shared_memory.h"

namespace xsp::guest {

struct Process;
struct SharedRegion;
struct Thread;

/// Which ring has which overflow area of the shared memory. A thread borrows one when its ring is full and nobody has
/// emptied it, and leaves it as soon as the sender has caught up. All threads of the process share the areas, which
/// bounds its memory; while all are borrowed, full rings drop records as they would without them.
struct OverflowAreas {
  /// By area: 0 while it is free; kGivenBack while its memory is given back, too; else (ring + 1) * 2, plus 1 if that
  /// ring's next record goes there. A ring's thread makes its changes; the sender frees an area that a ring has left
  /// once the ring's records in it have been sent.
  std::atomic<uint32_t> owners[shm::kMaxOverflows];
};
inline constexpr uint32_t kGivenBack = UINT32_MAX;

/// Tells the thread where the next record of its ring belongs. Called when it takes the ring, and after changes.
void find_places(Thread& thread, const shm::RingHeader& ring, const SharedRegion& region);

/// Has the next records of the thread's ring go into an overflow area. False if there is none, or in a signal handler
/// that interrupted the recording of another span. Takes two system calls.
bool spill(Thread& thread, Process& process);

/// Has them go into the ring's own places again, if only records of the area are unsent, and few of them.
void return_to_ring(Thread& thread, Process& process);

/// The same for a ring whose thread has ended and whose records have all been sent. The caller holds the process's
/// lock, without which another thread might take the ring meanwhile.
void return_retired(Process& process, uint32_t ring);

}  // namespace xsp::guest
