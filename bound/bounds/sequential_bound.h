#pragma once

#include "bound/bounds/bounds.h"

namespace xsp::bound {

/// Of the bound, that may count in the expected time without a time from memory.
inline constexpr double kMostHot = 0.2;

/// Sums up a mode whose `group_of` and `weights_ms` are known. What takes less than its benchmark says was observed: it
/// rests on no benchmark, disturbed or of other rounding, and there is no expected time with it.
SequentialBound sequential_bound(const Bounds& bounds, const BoundMode& mode);

}  // namespace xsp::bound
