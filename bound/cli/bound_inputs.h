#pragma once

#include <deque>
#include <string>
#include <vector>

#include "analysis/study/analysed_trace.h"
#include "base/status.h"
#include "bound/cli/bound_options.h"
#include "bound/fusion/fused_group.h"
#include "bound/joining/joined_trace.h"
#include "bound/model/layer.h"
#include "bound/records/work_item.h"

namespace xsp::bound {

/// A model with what is known of it before anything is measured or looked up.
struct ModelInput {
  LayeredModel model;  // without layers where only a trace is given
  std::vector<FusedGroup> groups;
  JoinedTrace trace;  // with --trace
};

/// What the command line names. It stays where it is: parts of it refer to others.
struct BoundInputs {
  analysis::AnalysedTrace trace;
  bool has_trace = false;
  std::deque<ModelInput> models;
};

/// Reads the trace, takes the models apart and joins both. Errors have the exit code.
Status read_inputs(const BoundOptions& options, BoundInputs* inputs);

/// What the bounds of the models are made of, once each: their problems with work, groups of layers, calls of the
/// trace, and all that --dtype asks for. `isa`: of the system that is to measure, as precision_items() takes it.
std::vector<WorkItem> work_items(const BoundOptions& options, const BoundInputs& inputs, const std::string& isa = "");

}  // namespace xsp::bound
