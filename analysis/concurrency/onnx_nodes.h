#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace xsp::analysis {

/// A node of an ONNX model as its file has it. Texts lie in the bytes that were read; none of the values is empty.
struct OnnxNode {
  std::string_view name;
  std::string_view type;                 // "Conv"
  std::vector<std::string_view> inputs;  // those that its subgraphs take from outside included
  std::vector<std::string_view> outputs;
};

inline constexpr size_t kMostGraphNesting = 64;                // subgraphs within one another
inline constexpr size_t kMostGraphNodes = 1'000'000;           // those of subgraphs included
inline constexpr size_t kMostGraphValues = 8'000'000;          // inputs and outputs of nodes, likewise
inline constexpr size_t kMostNodeTextBytes = size_t{1} << 28;  // names, types and values of nodes

/// The nodes of the outermost graph, in the order of the file. Weights are not read, and functions are not looked into:
/// a call of one is a node. The error says whether the bytes are no ONNX model, damaged or too large.
Status read_onnx_nodes(std::string_view bytes, std::vector<OnnxNode>* nodes);

inline constexpr const char* kHintNoGraph = "give the .onnx file of the model that was recorded";
inline constexpr const char* kHintDamagedGraph = "export or download the model again";
inline constexpr const char* kHintGraphTooLarge = "no model of a known program is like this: is the file damaged?";

}  // namespace xsp::analysis
