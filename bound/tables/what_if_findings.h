#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// What a change is worth: the type that gains most, types that lose (notes), what fusion saves, implementations that
/// are not the fastest. By their share of the bound, largest first; notes behind them. Of branches at the same time
/// find_times() tells.
void add_what_if_findings(const BoundSubject& subject, std::vector<analysis::Finding>* found);

}  // namespace xsp::bound
