#pragma once

#include <string>

#include "bound/model/node_problem.h"
#include "bound/onnx/graph.h"

namespace xsp::bound {

/// The node as an ONNX model of its own: the problem's operands are inputs of the graph in the problem's order,
/// whatever they are in the model, each called "x" with its place in the node; settings are constants. In the general
/// form constants with known values stay constants and all else is an input. Scales of quantized operators are 1 and
/// zero points 0, since a problem has none. Empty where the type of an input is not known.
std::string single_node_model(const Model& model, const NodeView& view, const NodeProblem& problem);

}  // namespace xsp::bound
