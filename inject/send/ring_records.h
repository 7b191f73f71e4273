#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/send/packets.h"
#include "proto/shared_memory.h"

namespace xsp::guest {

/// Records of a ring by their distance from the first one of a batch.
struct RingRecords {
  const shm::Record* ring;
  uint64_t first;

  const shm::Record* at(size_t offset) const { return ring + ((first + offset) & (shm::kRingRecords - 1)); }
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
