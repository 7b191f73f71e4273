#pragma once

#include <vector>

#include "analysis/timeline/evaluation_phases.h"
#include "analysis/timeline/outer_calls.h"
#include "analysis/timeline/parents.h"
#include "analysis/timeline/phase_names.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Of traces of XSP itself that have operators (`processes`): makes evaluations of training out of outermost module
/// calls. To be called once, when the levels of models are known and before those of layers are.
///
/// A call in training is one that backward work or a step of an optimizer follows before the next outermost call of its
/// thread. Its model span then ends with the last of these, and is the parent of what its thread did in between. What
/// follows (metrics, the next batch) and what lies before the call (gradients set to zero) is in no evaluation.
/// Backward work of other threads belongs to the call that its link leads to, without a link to the only call whose
/// time it lies in.
///
/// A call of a module without modules whose class ends in "Loss", behind another model's on its thread, is a layer of
/// that evaluation in training, and else no model.
PhasesByModel find_training_evaluations(const std::vector<bool>& processes, const OwnLayers& own_layers,
                                        PhaseNames* names, Parents* parents, Trace* trace);

}  // namespace xsp::analysis
