#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/waves/co_scheduling.h"

namespace xsp::analysis {

/// From the begin of its first block to the end of its last one.
struct PackedRun {
  uint32_t kernel = 0;  // index of CoSchedule::kernels
  double begin_ns = 0;
  double end_ns = 0;
};

/// What a greedy scheduler makes of a schedule.
struct Packing {
  double ns = 0;                // until the last block ends
  std::vector<PackedRun> runs;  // in order of begin
};

/// Greedy wavefront: of the kernels that wait for nothing the blocks of those that came first are placed first, on the
/// multiprocessors with most room; a block takes latency/⌈waves⌉. A kernel without a group starts once all before it
/// have ended, and all behind it wait for it. A kernel whose needs are not known takes whole multiprocessors,
/// all of them once. A kernel of
/// very many waves goes in larger steps, and of many kernels side by side multiprocessors are told apart in groups
/// only: both may take longer, never shorter. Nothing where the groups do not allow any order.
std::optional<Packing> pack(const CoSchedule& schedule);

}  // namespace xsp::analysis
