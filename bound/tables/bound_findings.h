#pragma once

#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/tables/table.h"
#include "bound/tables/bound_subject.h"

namespace xsp::bound {

/// What the bounds show, most important first and notes behind them: what puts the reading in doubt
/// (layers without a time, disturbed benchmarks, a trace of something else); with a trace where it is above the bound;
/// then where the bound is, what parallel branches could win, and what operands from memory cost. With several models,
/// doubts of each, and the rest of the one with the largest bound.
std::vector<analysis::Finding> bound_findings(const BoundSubject& subject, const std::vector<analysis::Table>& tables);

/// The first analysis::kMostFindings of them and the first notes, at most analysis::kMostNotes, of which the last says
/// how many findings were left out.
std::vector<analysis::Finding> shown_findings(std::vector<analysis::Finding> found);

/// "resnet50: fused at least 37.10 ms a call on 1 thread (layer by layer 43.86 ms) · about 61.56 ms with operands from
/// memory"; with a trace "resnet50: measured 67.60 ms, 1.8 times the fused bound of 37.10 ms on 1 thread (its layers at
/// their least 56.64 ms, 1.5 times)"; of several
/// models one after another.
std::string bound_verdict(const BoundSubject& subject);

}  // namespace xsp::bound
