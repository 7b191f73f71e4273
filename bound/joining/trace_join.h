#pragma once

#include <string>
#include <vector>

#include "analysis/study/analysed_trace.h"
#include "base/status.h"
#include "bound/fusion/fused_group.h"
#include "bound/joining/joined_trace.h"
#include "bound/model/layer.h"
#include "bound/shapes/shape_inference.h"

namespace xsp::bound {

/// Reads and analyses a trace as xsp-report does without options; `model` as its --model. Errors have the exit code.
Status read_trace(const std::vector<std::string>& paths, const std::string& model, analysis::AnalysedTrace* trace);

/// The shapes of the inputs of the calls under study, in their order: what open dimensions of a model are bound to.
std::vector<std::vector<int64_t>> input_shapes_of(const analysis::AnalysedTrace& trace);

/// Finds the layers of the model in the trace: by the names of nodes (ONNX Runtime; its suffixes and fused names
/// undone), else by aligning sequences over type and shape. Nothing is joined by name alone where names repeat. What a
/// runtime fused into a layer belongs to it. What does not join is counted in notes.
///
/// Errors (exit code 3): the trace has no layers and no library calls; it is of another model (nearly nothing joins),
/// or of another batch size, naming both.
Status join_trace(const analysis::AnalysedTrace& trace, const LayeredModel& model,
                  const std::vector<FusedGroup>& groups, JoinedTrace* joined);

}  // namespace xsp::bound
