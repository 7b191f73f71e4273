#include "analysis/waves/multiprocessor_states.h"

#include <limits>

namespace xsp::analysis {
namespace {

uint32_t room_for(const SlotAmounts& needs, const SlotAmounts& free) {
  uint32_t blocks = std::numeric_limits<uint32_t>::max();
  for (size_t i = 0; i < kSlotResources; ++i) {
    if (needs[i] != 0) blocks = std::min(blocks, free[i] / needs[i]);
  }
  return blocks == std::numeric_limits<uint32_t>::max() ? 0 : blocks;  // a block needs its slot at least
}

}  // namespace

MultiprocessorStates::MultiprocessorStates(const PackedDevice& device, size_t most_states) : most_states_(most_states) {
  if (device.multiprocessors != 0) {
    State& idle = states_.emplace_back();
    idle.count = device.multiprocessors;
    idle.free = device.capacity;
  }
  find_free();
}

MultiprocessorStates::Placed MultiprocessorStates::place(uint32_t kernel, const SlotAmounts& needs, uint64_t blocks,
                                                         double end) {
  Placed result;
  if (blocks == 0 || !may_have_room(needs)) return result;
  std::vector<uint32_t> rooms(states_.size());
  uint32_t most = 0;
  for (size_t i = 0; i < states_.size(); ++i) {
    rooms[i] = room_for(needs, states_[i].free);
    most = std::max(most, rooms[i]);
  }
  const auto above = [&](uint32_t level) {
    uint64_t sum = 0;
    for (size_t i = 0; i < rooms.size(); ++i) {
      if (rooms[i] > level) sum += uint64_t{states_[i].count} * (rooms[i] - level);
    }
    return sum;
  };
  // The level down to which the room is filled everywhere; what is left over fills some by one block more.
  uint32_t low = 0;
  uint32_t high = most;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (above(middle) <= blocks) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const uint32_t level = low;
  result.blocks = above(level);
  uint64_t left = level == 0 ? 0 : blocks - result.blocks;
  for (size_t i = 0; i < rooms.size(); ++i) {
    if (rooms[i] < level || rooms[i] == 0) continue;
    const uint32_t each = rooms[i] - level;
    const auto more = static_cast<uint32_t>(std::min<uint64_t>(left, level == 0 ? 0 : states_[i].count));
    const uint32_t others = states_[i].count - more;
    left -= more;
    result.blocks += more;
    const bool splits = each != 0 && others != 0 && more != 0 && states_.size() < most_states_;
    // A split leaves those that get one more where they are.
    if (splits || more == 0) {
      if (each != 0) result.held += fill(i, others, {kernel, each, needs, end});
    }
    if (more != 0) result.held += fill(i, more, {kernel, each + 1, needs, end});
  }
  find_free();
  return result;
}

double MultiprocessorStates::next_end() const {
  double next = kNever;
  for (const State& state : states_) next = std::min(next, state.next_end);
  return next;
}

/// Puts a resident on some of the multiprocessors of a state, which become a state of their own; on all of them where
/// there are too many states. Returns the blocks that have room there.
uint64_t MultiprocessorStates::fill(size_t place, uint32_t multiprocessors, const Resident& resident) {
  if (multiprocessors < states_[place].count && states_.size() < most_states_) {
    states_[place].count -= multiprocessors;
    State copy = states_[place];
    copy.count = multiprocessors;
    place = states_.size();
    states_.push_back(std::move(copy));
  }
  State& state = states_[place];
  for (size_t i = 0; i < kSlotResources; ++i) state.free[i] -= resident.needs[i] * resident.blocks;
  state.residents.push_back(resident);
  state.next_end = std::min(state.next_end, resident.end);
  return uint64_t{resident.blocks} * state.count;
}

void MultiprocessorStates::merge() {
  for (size_t i = 0; i < states_.size(); ++i) {
    for (size_t k = i + 1; k < states_.size();) {
      const bool may_be_alike = states_[i].is_new || states_[k].is_new;
      if (may_be_alike && states_[i].free == states_[k].free && states_[i].residents == states_[k].residents) {
        states_[i].count += states_[k].count;
        if (k + 1 != states_.size()) states_[k] = std::move(states_.back());
        states_.pop_back();
      } else {
        ++k;
      }
    }
  }
  find_free();
}

void MultiprocessorStates::find_free() {
  most_free_ = {};
  for (const State& state : states_) {
    for (size_t i = 0; i < kSlotResources; ++i) most_free_[i] = std::max(most_free_[i], state.free[i]);
  }
}

}  // namespace xsp::analysis
