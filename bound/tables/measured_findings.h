#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// What puts a comparison with a trace in doubt: another number of threads, another device, a run that was faster than
/// the bound, layers that were not found in it.
void find_comparison_doubts(const TimesSource& source, const Bounds& bounds, std::vector<analysis::Finding>* found);

/// Where what was measured is above the bound: the type of layer and the layer with most of it, layers that the model
/// does not have, groups that ran one by one, time in no layer; and what ran faster than its benchmark. By their share
/// of the call, largest first; notes behind them. Nothing without a trace.
void find_excess(const Bounds& bounds, std::vector<analysis::Finding>* found);

}  // namespace xsp::bound
