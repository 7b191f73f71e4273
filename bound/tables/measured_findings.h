#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// Where what was measured is above the bound: the type of layer with most of it, one that takes many times its bound,
/// the layer with most of it, layers that the model does not have, groups that ran one by one, time in no layer, the
/// kernels of the runtime; and what ran faster than its benchmark. Each excess is told once. By their share of the
/// call, largest first; notes behind them. Nothing without a trace; no comparison with bounds of another type or
/// device.
void find_excess(const TimesSource& source, const Bounds& bounds, std::vector<analysis::Finding>* found);

}  // namespace xsp::bound
