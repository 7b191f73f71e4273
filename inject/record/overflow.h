#pragma once

#include <atomic>
#include <cstdint>

#include "proto/shared_memory.h"

namespace xsp::guest {

struct Process;
struct SharedRegion;
struct Thread;

/// Whose the overflow areas of the shared memory are. A thread borrows one when its ring is full and nobody came to
/// empty it, and leaves it as soon as the sender has caught up. All threads of the process share the areas, so that
/// they bound its memory; while all are borrowed, full rings drop as they would without.
struct OverflowAreas {
  /// By area: 0, where it is free; kGivenBack, while its memory is; else (ring + 1) * 2, and 1 more where that ring's
  /// next record goes there. A ring takes its thread's changes; an area that a ring has left is freed by the sender,
  /// when the ring's records in it have been sent.
  std::atomic<uint32_t> owners[shm::kMaxOverflows];
};
inline constexpr uint32_t kGivenBack = UINT32_MAX;

/// Has the thread record where the next record of its ring belongs. Called when it takes the ring, and after changes.
void find_places(Thread& thread, const shm::RingHeader& ring, const SharedRegion& region);

/// Has the next records of the thread's ring go into an overflow area. False, where there is none, and in a signal
/// handler that interrupted the recording of another span. Takes two system calls.
bool spill(Thread& thread, Process& process);

/// Has them go into the ring's own places again, if nothing but records of the area is unsent, and little of it.
void return_to_ring(Thread& thread, Process& process);

/// The same for a ring whose thread has ended and of which everything has been sent. The caller holds the process's
/// lock, without which another thread might take the ring meanwhile.
void return_retired(Process& process, uint32_t ring);

}  // namespace xsp::guest
