#pragma once

#include <cstdint>
#include <span>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

inline constexpr uint32_t kMostLoopLevels = 4;

/// Adds the loops within the iterations of each loop, and those within these.
void add_inner_loops(std::span<const Symbol> symbols, Loops* found);

/// By level, then by operations, the most first.
void order_loops(Loops* found);

}  // namespace xsp::analysis
