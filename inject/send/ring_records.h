#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "inject/send/packets.h"
#include "proto/shared_memory.h"

namespace xsp::guest {

/// Records of a ring by their distance from the first one of a batch. All of them lie in one memory (shm::Stretch).
struct RingRecords {
  const shm::Record* memory;
  uint64_t mask;
  uint64_t first;

  const shm::Record* at(size_t offset) const { return memory + ((first + offset) & mask); }
  const shm::ArgumentRecord* arguments_at(size_t offset) const {
    return reinterpret_cast<const shm::ArgumentRecord*>(at(offset));
  }
  const shm::ActivityRecord* activity_at(size_t offset) const {
    return reinterpret_cast<const shm::ActivityRecord*>(at(offset));
  }
  const shm::GraphNodeRecord* graph_node_at(size_t offset) const {
    return reinterpret_cast<const shm::GraphNodeRecord*>(at(offset));
  }
  bool is_finished(size_t offset) const {
    return __atomic_load_n(&at(offset)->sequence, __ATOMIC_ACQUIRE) == static_cast<uint32_t>(first + offset + 1);
  }
  shm::RecordType type(size_t offset) const { return static_cast<shm::RecordType>(at(offset)->record_type); }
};

/// The records of a ring from `first` on, up to `end`, which is lowered where they go on in another memory.
inline RingRecords records_of_memory(const SharedRegion& region, uint32_t ring, uint64_t first, uint64_t* end) {
  const shm::Placement placement = shm::placement_of(*region.ring(ring), first);
  *end = std::min(*end, placement.end);
  return {region.memory_of(ring, placement.memory), shm::records_in(placement.memory) - 1, first};
}

/// Those of one batch. Where they go on in another memory they are copied into `joined`, which has room for
/// kBatchRecords: a call's arguments and its span are not torn apart. One that is not finished stays so in the copy.
inline RingRecords records_of_batch(const SharedRegion& region, uint32_t ring, uint64_t first, uint64_t end,
                                    shm::Record* joined) {
  end = std::min<uint64_t>(end, first + kBatchRecords);
  uint64_t end_of_memory = end;
  const RingRecords records = records_of_memory(region, ring, first, &end_of_memory);
  if (end_of_memory == end) return records;
  constexpr uint64_t kMask = kBatchRecords - 1;
  for (uint64_t at = first; at < end; ++at) {
    uint64_t behind = at + 1;
    const RingRecords one = records_of_memory(region, ring, at, &behind);
    shm::Record& copy = joined[at & kMask];
    if (one.is_finished(0)) {
      copy = *one.at(0);
    } else {
      copy.sequence = static_cast<uint32_t>(at);
    }
  }
  return {joined, kMask, first};
}

/// Offsets of the records of one type, in order.
struct Offsets {
  uint16_t offset[kBatchRecords];
  size_t count = 0;

  void add(size_t at) { offset[count++] = static_cast<uint16_t>(at); }
  void cut(size_t end) {
    while (count > 0 && offset[count - 1] >= end) --count;
  }
};

}  // namespace xsp::guest
