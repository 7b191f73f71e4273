#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "bound/onnx/graph.h"
#include "bound/shapes/operator_table.h"
#include "bound/shapes/value_facts.h"

namespace xsp::bound {

/// Values by name where a node stands: those of its own graph, then those of the graphs around it.
class Scope {
 public:
  explicit Scope(GraphFacts* own, const Scope* outer = nullptr) : own_(own), outer_(outer) {}

  /// Null for a value that no node has written yet.
  const ValueFacts* find(const std::string& name) const;
  void set(const std::string& name, ValueFacts facts) { (*own_)[name] = std::move(facts); }
  void reserve(size_t more) { own_->reserve(own_->size() + more); }

 private:
  GraphFacts* own_;
  const Scope* outer_;
};

/// Follows the nodes of a model's graph and of the graphs within.
class GraphInference {
 public:
  explicit GraphInference(const Model& model) : model_(&model) {}

  /// Adds weights and the outputs of all nodes to the scope, which has the inputs.
  Status infer(const Graph& graph, Scope* scope);

 private:
  /// What a body of If, Loop or Scan gives. An error in it is none of the model: the body may never run.
  struct Body {
    std::vector<ValueFacts> outputs;
    std::string error;
  };

  Status infer_node(const Node& node, Scope* scope);
  Status infer_operator(OperatorCall* call);
  void fold_values(const OperatorRule& rule, OperatorCall* call);

  Status infer_if(OperatorCall* call, const Scope& scope);
  Status infer_loop(OperatorCall* call, const Scope& scope);
  Status infer_scan(OperatorCall* call, const Scope& scope);
  size_t cost_of(const Graph& body);
  Body infer_body(const Graph& body, const std::vector<ValueFacts>& inputs, const Scope& scope);
  /// Where a body has what it hands to its next turn.
  struct States {
    size_t first_input, first_output, count;
  };
  /// Repeats a body until the shapes of its states do not change any more.
  Body infer_turns(const Graph& body, std::vector<ValueFacts>* inputs, const States& states, const Scope& scope);

  const Model* model_;
  size_t depth_ = 0;
  size_t inner_cost_left_ = 4'000'000;              // bodies of loops in loops are followed more than once
  std::unordered_map<const Graph*, size_t> costs_;  // of bodies that were met
  double kept_values_left_ = 16'000'000;            // 8 bytes each
  double folding_left_ = 256'000'000;               // values read and written
};

}  // namespace xsp::bound
