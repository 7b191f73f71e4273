#pragma once

#include <vector>

#include "analysis/findings/finding.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// What a framework does that the model does not ask for, the dearest of each kind, from 1 % of a call of the model on.
/// Where layers are not computed by the library that is expected, what counts is how much longer they take than their
/// bound, if that is known. With several models those of the one that is measured longest. Of a run without a model a
/// note says where to look for more, or why nothing is told.
void add_inefficiency_findings(const BoundSubject& subject, std::vector<analysis::Finding>* found);

}  // namespace xsp::bound
