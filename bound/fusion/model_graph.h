#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bound/fusion/fused_group.h"
#include "bound/model/layer.h"
#include "bound/model/node_view.h"
#include "bound/problems/problem.h"

namespace xsp::bound {

/// A value of the model's graph: who writes it and who reads it.
struct GraphValue {
  std::string_view name;
  const ValueFacts* facts = nullptr;  // never null
  size_t producer = kNoLayer;         // none: an input or a weight
  std::vector<size_t> readers;        // ascending; a layer that reads it twice stands there twice
  /// It is an output of the graph, or what a subgraph reads: no group may keep it for itself.
  bool escapes = false;

  bool has_shape() const { return facts->has_shape; }
  const std::vector<int64_t>& dimensions() const { return facts->dimensions; }
  /// Its only reader; kNoLayer where there is none or more than one.
  size_t sole_reader() const { return !escapes && readers.size() == 1 ? readers.front() : kNoLayer; }
};

/// The layers of a model as a graph of values. Layers that no output needs read nothing here.
class ModelGraph {
 public:
  /// The model, which must have a source, must outlive this.
  explicit ModelGraph(const LayeredModel& model);

  size_t layers() const { return nodes_.size(); }
  const LayeredModel& model() const { return model_; }
  const Layer& layer(size_t index) const { return model_.layers[index]; }
  const Node& node(size_t index) const;
  /// Of a layer with work whose problem back ends compute; else one without kind.
  const Problem& problem(size_t index) const { return nodes_[index].problem; }
  bool is(size_t index, std::string_view kind) const { return nodes_[index].problem.kind() == kind; }
  NodeView view(size_t index) const;

  size_t inputs(size_t index) const { return nodes_[index].inputs.size(); }
  /// Null where it is left out.
  const GraphValue* input(size_t index, size_t place) const;
  const GraphValue* output(size_t index, size_t place = 0) const;

  /// Whether the layer gives on its first input as it is and costs nothing: Identity, Dropout.
  bool is_transparent(size_t index) const { return nodes_[index].is_transparent; }
  /// Whether the value is there before anything runs, or made of such values: a weight.
  bool is_weight(const GraphValue& value) const;
  /// The number that a constant of one element is. Values of larger ones are weights, on which no problem depends.
  static std::optional<double> number_of(const GraphValue& value);

 private:
  struct NodeLinks {
    std::vector<size_t> inputs, outputs;  // indices of values; kNoLayer where one is left out
    Problem problem;
    bool is_transparent = false;
  };
  size_t value_named(std::string_view name);
  void let_escape(const Graph& graph);
  bool passes_on(size_t index) const;

  const LayeredModel& model_;
  std::vector<NodeLinks> nodes_;
  std::vector<GraphValue> values_;
  std::unordered_map<std::string_view, size_t> by_name_;
};

}  // namespace xsp::bound
