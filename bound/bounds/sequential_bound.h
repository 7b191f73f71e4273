#pragma once

#include "bound/bounds/bounds.h"

namespace xsp::bound {

/// Sums up a mode whose `group_of` and `weights_ms` are known. What takes less than its benchmark says was observed: it
/// rests on no benchmark, disturbed or of other rounding, and there is no expected time with it.
SequentialBound sequential_bound(const Bounds& bounds, const BoundMode& mode);

}  // namespace xsp::bound
