#pragma once

#include <cstdint>
#include <optional>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// The default miner. Candidate periods by a vote over the gaps between equal symbols (and short runs of them), checked
/// by aligning the sequence with the pattern of each; loops in loops, phases and deviating iterations. Linear in the
/// length of the sequence. `count`: iterations of the outermost loop, if known; it only decides between candidates, and
/// cannot make a loop appear. doc/iterations.md has the method and the meaning of confidence.
Loops mine_periods(const MiningInput& input, std::optional<uint32_t> count = {});

}  // namespace xsp::analysis
