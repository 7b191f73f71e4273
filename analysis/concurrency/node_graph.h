#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace xsp::analysis {

/// A node of an ONNX model: what it is called and which nodes it waits for.
struct GraphNode {
  std::string name;
  std::string type;                  // "Conv"
  std::vector<std::string> inputs;   // values, those that its subgraphs take from outside included
  std::vector<std::string> outputs;  // values
  std::vector<uint32_t> after;       // indices of the nodes whose values it reads, each once
};

/// The dependencies of an ONNX model. Each node follows those that it waits for: that is the order of the file, or,
/// where the file breaks the rule, one as close to it as can be. Values that a subgraph (If, Loop, Scan) takes from
/// outside are inputs of its node. Weights are not read.
struct NodeGraph {
  std::vector<GraphNode> nodes;
};

/// The error says what the bytes are: no ONNX model, damaged, a cycle, too large. The graph is empty then.
Status parse_node_graph(std::string_view bytes, NodeGraph* graph);
Status read_node_graph(const std::string& path, NodeGraph* graph);

}  // namespace xsp::analysis
