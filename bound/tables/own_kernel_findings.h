#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "bound/bounds/bounds.h"

namespace xsp::bound {

/// Whether the run is slow or the kernels of its runtime are, where these can be measured by themselves
/// (Bounds::own_kernels): what the run takes beside them, or what other kernels could save.
void find_own_kernels(const Bounds& bounds, std::vector<analysis::Finding>* found);

}  // namespace xsp::bound
