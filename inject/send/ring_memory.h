#pragma once

#include <cstdint>

#include "inject/record/process.h"

namespace xsp::guest {

/// The memory that threads record into, as the sender manages it: faults it in before a thread writes to it, frees
/// overflow areas (inject/record/overflow.h) whose records have been sent, and gives back the memory of those that
/// nobody has needed for a while. Lives on the sender's stack.
class RingMemory {
 public:
  explicit RingMemory(Process& process) : process_(process) {}

  /// Called before a round of sending. Otherwise the first touch of a ring's memory costs the recording thread a fault
  /// per page. In a program with many threads most record little, so rings are faulted in as they fill.
  void fault_in_busy_rings();

  /// Called after a round.
  void keep_overflow_areas();

 private:
  static constexpr uint32_t kSlices = 16;

  void fault_in_from(uint32_t area, uint64_t head);
  void prepare_area();
  void free_if_sent(uint32_t area, uint32_t ring);
  void give_back(uint32_t area);

  Process& process_;
  size_t faulted_in_[shm::kMaxRings] = {};     // bytes
  uint64_t sent_before_[shm::kMaxRings] = {};  // when keep_overflow_areas() was last called
  struct Area {
    uint32_t faulted_in;  // a bit for each slice
    uint64_t free_since_ns;
    bool has_memory;
    bool was_used;  // and not given back since
  };
  Area areas_[shm::kMaxOverflows] = {};
};

}  // namespace xsp::guest
