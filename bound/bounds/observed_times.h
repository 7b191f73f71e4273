#pragma once

#include <vector>

#include "bound/bounds/bounds.h"

namespace xsp::bound {

/// By layer of the model: the factor, at most 1, by which its time in the mode "fused" becomes the best that is known.
/// It is less than 1 where the layers of the trace that ran it took less than their bound. Layers of the trace that
/// share a group are taken together: their sum is compared with that of all that they ran, so that nothing counts
/// twice. What was not found in the trace, or shares a group with what was not and has no time of its own, is left as
/// it is.
std::vector<double> observed_factors(const Bounds& bounds, const BoundMode& fused);

}  // namespace xsp::bound
