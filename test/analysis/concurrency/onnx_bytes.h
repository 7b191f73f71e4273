#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsp::test {

/// Fields of ONNX models as protobuf writes them, by the numbers of the published schema.
inline std::string varint_bytes(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

inline std::string onnx_field(uint32_t number, const std::string& bytes) {
  return varint_bytes(number << 3 | 2) + varint_bytes(bytes.size()) + bytes;
}

struct OnnxNodeSpec {
  std::string name;
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> subgraphs;  // as bytes
};

inline std::string onnx_node(const OnnxNodeSpec& node) {
  std::string bytes;
  for (const std::string& input : node.inputs) bytes += onnx_field(1, input);
  for (const std::string& output : node.outputs) bytes += onnx_field(2, output);
  bytes += onnx_field(3, node.name) + onnx_field(4, node.type);
  for (const std::string& subgraph : node.subgraphs) {
    bytes += onnx_field(5, onnx_field(1, "body") + onnx_field(6, subgraph) + varint_bytes(20 << 3) + varint_bytes(5));
  }
  return onnx_field(1, bytes);
}

/// A graph with inputs, an initializer for each of `weights`, and outputs.
inline std::string onnx_graph(const std::vector<OnnxNodeSpec>& nodes, const std::vector<std::string>& inputs = {},
                              const std::vector<std::string>& outputs = {},
                              const std::vector<std::string>& weights = {}) {
  std::string bytes;
  for (const OnnxNodeSpec& node : nodes) bytes += onnx_node(node);
  for (const std::string& weight : weights) bytes += onnx_field(5, onnx_field(8, weight) + onnx_field(9, "12345678"));
  for (const std::string& input : inputs) bytes += onnx_field(11, onnx_field(1, input));
  for (const std::string& output : outputs) bytes += onnx_field(12, onnx_field(1, output));
  return bytes;
}

inline std::string onnx_model(const std::string& graph) {
  return varint_bytes(1 << 3) + varint_bytes(8) + onnx_field(7, graph);
}

}  // namespace xsp::test
