#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bound/fusion/model_graph.h"
#include "bound/problems/problem.h"

namespace xsp::bound {

/// How the names of nodes begin, and of what they write, that only let an operand lie as it does inside a model: their
/// time is no part of the group's.
inline constexpr std::string_view kLayoutNode = "layout.";

/// A problem as an ONNX model that computes it (bytes): its operands are the inputs of the graph, in their order and
/// under their names, also where a model would have them as constants. Written with the operators that ONNX Runtime
/// fuses, or has fused already. Empty for kinds that are not fused, and types that it cannot compute them in.
std::string group_model(const Problem& problem);

/// Layers as they are, as a model of their own: what they read from outside are inputs in the order in which it is
/// read, and constants of one element stay constants. The last layer writes the result.
std::string nodes_model(const ModelGraph& graph, const std::vector<size_t>& layers);

}  // namespace xsp::bound
