#include "bound/fusion/model_graph.h"

#include <algorithm>

#include "bound/model/model_source.h"
#include "bound/model/value_readers.h"

namespace xsp::bound {
namespace {

const ValueFacts& nothing_known() {
  static const ValueFacts kNothingKnown;
  return kNothingKnown;
}

/// Kinds that back ends compute are in lower case, those of a framework alone are not.
bool is_of_back_ends(std::string_view problem) {
  return !problem.empty() && problem[0] >= 'a' && problem[0] <= 'z' && problem.find('.') > problem.find(' ');
}

}  // namespace

ModelGraph::ModelGraph(const LayeredModel& model) : model_(model) {
  const Graph& graph = model.source->model.graph;
  const ValueReaders needs(graph);
  nodes_.resize(graph.nodes.size());
  by_name_.reserve(2 * graph.nodes.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& each = graph.nodes[i];
    NodeLinks& links = nodes_[i];
    for (const std::string& name : each.outputs) {
      links.outputs.push_back(name.empty() ? kNoLayer : value_named(name));
      if (!name.empty()) values_[links.outputs.back()].producer = i;
    }
    if (!needs.is_needed(i)) continue;
    for (const std::string& name : each.inputs) {
      links.inputs.push_back(name.empty() ? kNoLayer : value_named(name));
      if (!name.empty()) values_[links.inputs.back()].readers.push_back(i);
    }
    for (const Attribute& attribute : each.attributes) {
      for (const Graph& inner : attribute.graphs) let_escape(inner);
    }
    links.is_transparent = passes_on(i);
    const Layer& layer = model.layers[i];
    if (has_work(layer.layer_class) && is_of_back_ends(layer.problem)) {
      if (auto parsed = Problem::parse(layer.problem)) links.problem = *std::move(parsed);
    }
  }
  for (const DeclaredValue& output : graph.outputs) values_[value_named(output.name)].escapes = true;
}

const Node& ModelGraph::node(size_t index) const { return model_.source->model.graph.nodes[index]; }

NodeView ModelGraph::view(size_t index) const {
  const Node& each = node(index);
  std::vector<bool> is_used;
  for (size_t i = 0; i < each.outputs.size(); ++i) {
    const GraphValue* value = output(index, i);
    is_used.push_back(value != nullptr && (value->escapes || !value->readers.empty()));
  }
  return {each, model_.source->model.opset(each.domain), model_.source->facts, std::move(is_used)};
}

const GraphValue* ModelGraph::input(size_t index, size_t place) const {
  const std::vector<size_t>& inputs = nodes_[index].inputs;
  return place < inputs.size() && inputs[place] != kNoLayer ? &values_[inputs[place]] : nullptr;
}

const GraphValue* ModelGraph::output(size_t index, size_t place) const {
  const std::vector<size_t>& outputs = nodes_[index].outputs;
  return place < outputs.size() && outputs[place] != kNoLayer ? &values_[outputs[place]] : nullptr;
}

bool ModelGraph::is_weight(const GraphValue& value) const {
  return value.facts->is_constant || value.producer == kNoLayer || !has_work(layer(value.producer).layer_class);
}

std::optional<double> ModelGraph::number_of(const GraphValue& value) {
  const ValueFacts& facts = *value.facts;
  if (!facts.is_constant) return {};
  if (facts.numbers && facts.numbers->size() == 1) return facts.numbers->front();
  if (facts.integers && facts.integers->size() == 1) return static_cast<double>(facts.integers->front());
  return {};
}

size_t ModelGraph::value_named(std::string_view name) {
  const auto [found, is_new] = by_name_.try_emplace(name, values_.size());
  if (is_new) {
    const auto facts = model_.source->facts.find(std::string(name));
    values_.push_back({.name = name, .facts = facts == model_.source->facts.end() ? &nothing_known() : &facts->second});
  }
  return found->second;
}

void ModelGraph::let_escape(const Graph& graph) {
  const auto mark = [this](const std::string& name) {
    // Names that are the subgraph's own are no values of this graph, or have nothing to do with those of them.
    if (const auto found = by_name_.find(name); found != by_name_.end()) values_[found->second].escapes = true;
  };
  for (const Node& inner : graph.nodes) {
    std::ranges::for_each(inner.inputs, mark);
    for (const Attribute& attribute : inner.attributes) {
      for (const Graph& nested : attribute.graphs) let_escape(nested);
    }
  }
  for (const DeclaredValue& output : graph.outputs) mark(output.name);
}

bool ModelGraph::passes_on(size_t index) const {
  if (model_.layers[index].layer_class != LayerClass::kZero) return false;
  const std::string_view type = node(index).type;
  if (!node(index).domain.empty() || (type != "Identity" && type != "Dropout" && type != "Cast")) return false;
  const GraphValue* from = input(index, 0);
  const GraphValue* to = output(index);
  return from != nullptr && to != nullptr && from->has_shape() && !to->facts->is_constant &&
         from->facts->element == to->facts->element;
}

}  // namespace xsp::bound
