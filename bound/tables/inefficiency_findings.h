#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// What a framework does that the model does not ask for, the dearest of each kind: from 1 % of the model on, and where
/// kernels take that time, of the time of all kernels. With several models those of the one that is measured longest.
void add_inefficiency_findings(const BoundSubject& subject, std::vector<analysis::Finding>* found);

}  // namespace xsp::bound
