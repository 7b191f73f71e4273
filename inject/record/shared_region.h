#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/shared_memory.h"

namespace xsp::guest {

/// The memfd that this process shares with its collector (proto/shared_memory.h), mapped and laid out. Plain data:
/// it lives in fork-wiped memory and has no destructor on purpose, as hooks run after static destructors.
struct SharedRegion {
  uint8_t* base;
  uint64_t bytes;
  int descriptor;  // to be sent to the collector and closed

  shm::SharedHeader* header() const { return reinterpret_cast<shm::SharedHeader*>(base); }
  shm::RingHeader* ring(uint32_t index) const {
    return reinterpret_cast<shm::RingHeader*>(base + shm::kRingsOffset + index * shm::kRingStride);
  }
  /// The ring's own records, or, where `memory` is not 0, those of an overflow area (shm::Stretch).
  shm::Record* memory_of(uint32_t ring_index, uint32_t memory) const {
    if (memory == 0) return shm::records_of(ring(ring_index));
    return reinterpret_cast<shm::Record*>(base + shm::overflow_offset(header()->ring_capacity, memory - 1));
  }
  uint8_t* arena() const { return base + header()->arena_offset; }
};

/// Creates, seals and maps the region, with fewer rings where address space is limited. False when the kernel refuses
/// even the smallest; nothing is left open or mapped then, and errno
/// says why.
bool create_shared_region(SharedRegion* region, uint8_t clock);

}  // namespace xsp::guest
