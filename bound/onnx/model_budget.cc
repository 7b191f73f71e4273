#include "bound/onnx/model_budget.h"

#include "bound/onnx/model_file.h"

namespace xsp::bound {
namespace {

size_t bytes_of_texts(const std::vector<std::string>& texts) {
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += sizeof(std::string) + text.size();
  return bytes;
}

size_t bytes_of_constant(const ConstantTensor& tensor) {
  return sizeof(ConstantTensor) + tensor.name.size() + tensor.dimensions.size() * sizeof(int64_t) +
         tensor.integers.size() * sizeof(int64_t) + tensor.numbers.size() * sizeof(double);
}

size_t bytes_of_value(const DeclaredValue& value) {
  size_t bytes = sizeof(DeclaredValue) + value.name.size();
  for (const Dimension& dimension : value.dimensions) bytes += sizeof(Dimension) + dimension.name.size();
  return bytes;
}

}  // namespace

bool ModelBudget::take_node() { return ++nodes_ <= kMostNodes; }

bool ModelBudget::take_bytes(size_t bytes) {
  bytes_ += bytes;
  return bytes_ <= kMostModelBytes;
}

bool ModelBudget::take_copy(const Node& node) {
  return take_bytes(sizeof(Node) + node.name.size() + node.type.size() + node.domain.size() + node.overload.size() +
                    bytes_of_texts(node.inputs) + bytes_of_texts(node.outputs));
}

bool ModelBudget::take_copy(const Attribute& attribute) {
  size_t bytes = sizeof(Attribute) + attribute.name.size() + attribute.text.size() + attribute.reference.size() +
                 attribute.numbers.size() * sizeof(double) + attribute.integers.size() * sizeof(int64_t) +
                 bytes_of_texts(attribute.texts);
  for (const ConstantTensor& tensor : attribute.tensors) bytes += bytes_of_constant(tensor);
  if (!take_bytes(bytes)) return false;
  for (const Graph& graph : attribute.graphs) {
    if (!take_copy(graph)) return false;
  }
  return true;
}

bool ModelBudget::take_copy(const Graph& graph) {
  size_t bytes = sizeof(Graph) + graph.name.size();
  for (const ConstantTensor& tensor : graph.initializers) bytes += bytes_of_constant(tensor);
  for (const DeclaredValue& value : graph.inputs) bytes += bytes_of_value(value);
  for (const DeclaredValue& value : graph.outputs) bytes += bytes_of_value(value);
  if (!take_bytes(bytes)) return false;
  for (const Node& node : graph.nodes) {
    if (!take_node() || !take_copy(node)) return false;
    for (const Attribute& attribute : node.attributes) {
      if (!take_copy(attribute)) return false;
    }
  }
  return true;
}

const char* ModelBudget::excess() const {
  return nodes_ > kMostNodes ? "it has more than 1,000,000 nodes" : "it takes more than 1 GiB without its weights";
}

}  // namespace xsp::bound
