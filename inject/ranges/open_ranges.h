#pragma once

#include <cstdint>

#include "inject/ranges/range_domain.h"

namespace xsp::guest {

/// Ranges that start in one place and end in any other (NVTX start and end), also on another thread. Nothing nests in
/// them: what begins while they run is not inside them.

/// Ranges that can be open at once in a process; more are counted as lost.
inline constexpr uint32_t kMaxOpenRanges = 1024;

/// Starts a range. Returns a handle that was never given before in this process; 0 when nothing is recorded.
uint64_t start_range(const RangeDomain& domain, uint32_t name);

/// Records the range; any thread may call it. Does nothing for a range that has ended, was never started, or is a
/// parent process's.
void end_range(uint64_t range, uint64_t end);

}  // namespace xsp::guest
