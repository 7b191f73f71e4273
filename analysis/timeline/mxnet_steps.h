#pragma once

#include "analysis/timeline/evaluation_phases.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Makes evaluations of training of the calls of MXNet that XSP recorded: a step begins with a forward call that is
/// told to train (or that autograd records), and ends behind the backward call that follows, and behind the operators
/// that update the parameters. Its span is that of the forward call which takes most time in the process; what other
/// calls ran in between, such as the loss, are layers of it.
///
/// Phases follow each other: the time up to an operator's end belongs to what the operator is. An operator updates
/// parameters if its type says so (sgd_mom_update, multi_adamw_update).
void join_mxnet_steps(Parents* parents, Trace* trace, PhasesByModel* phases);

}  // namespace xsp::analysis
