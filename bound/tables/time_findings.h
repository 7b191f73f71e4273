#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// Where the bound is, and what would change it: the dearest type and problem, other rounding, layers that runtimes
/// fuse, parallel branches, operands from memory. By their share of the bound, largest first; notes behind them.
void find_times(const TimesSource& source, const Bounds& bounds, std::vector<analysis::Finding>* found);

}  // namespace xsp::bound
