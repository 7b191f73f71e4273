#include <fmt/format.h>

#include <map>

#include "bound/fusion/group_model.h"
#include "bound/model/benchmark_model.h"
#include "bound/model/model_source.h"
#include "bound/onnx/model_file.h"

namespace xsp::bound {
namespace {

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
      found->second = fmt::format("c{}", written_->initializers.size());
      written_->initializers.push_back(constant_of(found->second, facts));
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
  Model model = benchmark_model(graph.model().source->model, "group");
  NodesWriter writer(graph, &model.graph);
  for (const size_t layer : layers) writer.add(layer);
  writer.end();
  return write_model(model);
}

}  // namespace xsp::bound
