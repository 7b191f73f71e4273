#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/waves/slot_use.h"

namespace xsp::analysis {

/// What the multiprocessors of a device hold at a moment, those that hold the same as one, so that a thousand equal
/// blocks are one step.
class MultiprocessorStates {
 public:
  /// At most `most_states` different ones are told apart.
  MultiprocessorStates(const PackedDevice& device, size_t most_states);

  struct Placed {
    uint64_t blocks = 0;
    uint64_t held = 0;  // slots: more than blocks where multiprocessors are not told apart; release() gives them back
  };

  /// Places up to `blocks` blocks that need `needs` each and end at `end`; those with most room get one first.
  Placed place(uint32_t kernel, const SlotAmounts& needs, uint64_t blocks, double end);

  /// When the next block ends; infinity: none runs.
  double next_end() const;

  /// Removes what has ended by `now`: `use(kernel, held)` for each kernel and state that had blocks of it.
  template <typename Use>
  void release(double now, Use&& use) {
    bool has_changed = false;
    for (State& state : states_) {
      state.is_new = false;
      if (state.next_end > now) continue;
      state.next_end = kNever;
      std::erase_if(state.residents, [&](const Resident& resident) {
        if (resident.end > now) {
          state.next_end = std::min(state.next_end, resident.end);
          return false;
        }
        for (size_t i = 0; i < kSlotResources; ++i) state.free[i] += resident.needs[i] * resident.blocks;
        use(resident.kernel, uint64_t{resident.blocks} * state.count);
        return true;
      });
      state.is_new = true;
      has_changed = true;
    }
    if (has_changed) merge();
  }

  /// Whether any multiprocessor could have room: the most that is free of each resource.
  bool may_have_room(const SlotAmounts& needs) const {
    for (size_t i = 0; i < kSlotResources; ++i) {
      if (needs[i] > most_free_[i]) return false;
    }
    return true;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Resident {
    uint32_t kernel = 0;
    uint32_t blocks = 0;
    SlotAmounts needs = {};  // of a block
    double end = 0;

    bool operator==(const Resident&) const = default;
  };
  struct State {
    uint32_t count = 0;  // multiprocessors
    SlotAmounts free = {};
    std::vector<Resident> residents;
    double next_end = kNever;  // of its residents
    bool is_new = false;       // it may be like another one now
  };

  uint64_t fill(size_t state, uint32_t multiprocessors, const Resident& resident);
  void merge();
  void find_free();

  size_t most_states_;
  std::vector<State> states_;
  SlotAmounts most_free_ = {};
};

}  // namespace xsp::analysis
