#pragma once

#include <cstdint>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// Iterations that deviate from the pattern alike and stand together are of another loop (evaluation between
/// training): takes them out. `size`: of the pattern.
void remove_other_phases(std::vector<LoopIteration>& iterations, uint32_t size);

}  // namespace xsp::analysis
