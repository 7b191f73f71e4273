#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bound/fusion/group_model.h"
#include "bound/model/model_source.h"
#include "bound/onnx/model_file.h"

namespace xsp::bound {
namespace {

/// Initializers need not be inputs from 4 on; 10 is the newest that runtimes of the last years read.
constexpr int64_t kLeastVersion = 4;
constexpr int64_t kMostVersion = 10;

DeclaredValue declared(const std::string& name, const ValueFacts& facts) {
  DeclaredValue value;
  value.name = name;
  value.element = facts.element;
  value.has_rank = facts.has_shape;
  for (const int64_t size : facts.dimensions) value.dimensions.push_back({size, ""});
  return value;
}

/// Gives the values of a group names of its own.
class NodesWriter {
 public:
  NodesWriter(const ModelGraph& graph, Graph* written) : graph_(graph), written_(written) {}

  void add(size_t layer) {
    Node node = graph_.node(layer);
    node.name = fmt::format("n{}", written_->nodes.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (const GraphValue* value = graph_.input(layer, i)) node.inputs[i] = name_read(*value);
    }
    const GraphValue* result = graph_.output(layer);
    node.outputs = {fmt::format("t{}", written_->nodes.size())};
    names_[result] = node.outputs.front();
    last_ = result;
    written_->nodes.push_back(std::move(node));
  }

  void end() { written_->outputs = {declared(names_.at(last_), *last_->facts)}; }

 private:
  std::string name_read(const GraphValue& value) {
    const auto [found, is_new] = names_.try_emplace(&value);
    if (!is_new) return found->second;
    const ValueFacts& facts = *value.facts;
    if (ModelGraph::number_of(value)) {
      ConstantTensor constant;
      constant.name = fmt::format("c{}", written_->initializers.size());
      constant.element = facts.element;
      constant.dimensions = facts.dimensions;
      constant.has_values = true;
      if (facts.integers) constant.integers = *facts.integers;
      if (facts.numbers) constant.numbers = *facts.numbers;
      found->second = constant.name;
      written_->initializers.push_back(std::move(constant));
    } else {
      found->second = fmt::format("i{}", written_->inputs.size());
      written_->inputs.push_back(declared(found->second, facts));
    }
    return found->second;
  }

  const ModelGraph& graph_;
  Graph* written_;
  std::map<const GraphValue*, std::string> names_;
  const GraphValue* last_ = nullptr;
};

}  // namespace

std::string nodes_model(const ModelGraph& graph, const std::vector<size_t>& layers) {
  const Model& source = graph.model().source->model;
  Model model;
  model.ir_version = std::clamp(source.ir_version, kLeastVersion, kMostVersion);
  model.producer = "xsp";
  model.opsets = source.opsets;
  model.graph.name = "group";
  NodesWriter writer(graph, &model.graph);
  for (const size_t layer : layers) writer.add(layer);
  writer.end();
  return write_model(model);
}

}  // namespace xsp::bound
