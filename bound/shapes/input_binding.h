#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "bound/onnx/graph.h"
#include "bound/shapes/shape_inference.h"

namespace xsp::bound {

/// Adds the facts of the graph's inputs that are no weights, with every open dimension given a size. Errors and notes
/// are those of infer_shapes().
Status bind_inputs(const Graph& graph, const ShapeBindings& bindings, GraphFacts* facts,
                   std::vector<std::string>* notes);

}  // namespace xsp::bound
