#pragma once

#include <cstddef>
#include <span>

namespace xsp::analysis {

/// How many leading values are warm-up: 0 of one or two values; else at least the first, and as many behind it as are
/// slower than what the second half of the values says, without a gap, at most half of all. doc/experiments.md has the
/// rule and why.
size_t warm_up_length(std::span<const double> latencies);

}  // namespace xsp::analysis
