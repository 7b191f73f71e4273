#pragma once

#include <unordered_map>
#include <vector>

#include "analysis/timeline/parents.h"
#include "analysis/timeline/phase_names.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// By model that has no modules: the layer that stands for it.
using OwnLayers = std::unordered_map<Row, Row>;

/// Of traces of XSP itself that have operators (`processes`): settles which outermost module calls are models of their
/// own, and what lies in them. To be called once the levels of models are known and before those of layers are.
///
/// - What a model without modules calls is in the layer that stands for it, not beside it.
/// - Modules called by backward work compute a forward pass anew (gradient checkpointing): no models, no layers.
/// - A module called on another thread while exactly one call of DataParallel runs there is a part of that call.
OwnLayers settle_outer_calls(const std::vector<bool>& processes, PhaseNames* names, Parents* parents, Trace* trace);

/// By process: whether it was recorded by XSP and has operators.
std::vector<bool> processes_with_operators(const Trace& trace);

}  // namespace xsp::analysis
