#pragma once

#include <cstdint>

#include "inject/concurrency/running_statistics.h"

namespace xsp::guest {

/// Whether the calls of a model are computed as the program has it or as was advised: both take turns in blocks, the
/// program's own first, so that the gain can be measured and harm is noticed. A block lasts for some calls and some
/// time. Once advised blocks are slower than the own blocks before them by more than noise, none follows.
///
/// Plain data, all zeros at the beginning.
class BlockSchedule {
 public:
  static constexpr uint32_t kLeastCalls = 5;
  static constexpr double kLeastNs = 50e6;
  static constexpr uint32_t kLeastPairs = 4;

  /// Whether the call that begins has the advised setting.
  bool is_advised() const { return !is_harmful_ && (finished_ & 1) != 0; }
  /// The block of that call, counted from 1.
  uint32_t block() const { return finished_ + 1; }
  bool is_harmful() const { return is_harmful_; }

  /// That call has ended. The first one of a block is left out of the comparison: it comes after a change.
  void finish_call(double nanoseconds, bool counts);

 private:
  void finish_block();

  uint32_t finished_;  // blocks
  uint32_t calls_;     // of the block
  double elapsed_ns_;  // in calls of the block
  RunningStatistics here_;
  double own_mean_;  // of the latest block with the program's own setting
  RunningStatistics differences_;
  bool is_harmful_;
};

}  // namespace xsp::guest
