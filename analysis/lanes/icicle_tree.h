#pragma once

#include <cstddef>
#include <vector>

#include "analysis/lanes/icicle.h"

namespace xsp::analysis {

/// Latency where it is known, else kernel time; 0 without any.
double time_of(const IcicleNode& node);

/// By node, its children.
std::vector<std::vector<uint32_t>> children_of(const Icicle& icicle);

/// Keeps at most `most` nodes and sorts: parents before children, siblings by time. What is left out becomes one node
/// of its parent, with the sums and the number of it; a note says how much it is.
void prune(size_t most, Icicle* icicle);

/// Notes where children together take longer than their parent: they are then drawn narrower.
void note_overfull(Icicle* icicle);

}  // namespace xsp::analysis
