#pragma once

#include <vector>

#include "analysis/timeline/evaluation_phases.h"
#include "analysis/timeline/model_spans.h"
#include "analysis/timeline/parents.h"
#include "analysis/timeline/phase_names.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Adds the phases of evaluations that are spans of an imported profile of PyTorch (steps, what --model-span matches):
/// what lies inside their interval, so that nothing is moved. `sources` is by process.
///
/// - Backward: the union of autograd's work on all threads of the process.
/// - Optimizer: the union of its steps and of gradients set to zero.
/// - Forward: from the first operator, or module where there are any, to the begin of backward work, on the thread of
/// the
///   evaluation; anew behind backward work, if more of it follows (accumulated gradients). Without backward work up to
///   the last operator. Not the optimizer, and not waiting for data.
///
/// An evaluation with backward work or a step of an optimizer is of training, one with other operators of inference.
void find_step_phases(const std::vector<ModelSource>& sources, const Trace& trace, const Parents& parents,
                      PhaseNames* names, PhasesByModel* phases);

}  // namespace xsp::analysis
