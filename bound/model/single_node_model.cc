#include "bound/model/single_node_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bound/model/benchmark_model.h"
#include "bound/onnx/model_file.h"

namespace xsp::bound {
namespace {

/// All of one value, which a scale or a zero point has.
ConstantTensor uniform(const std::string& name, const ValueFacts& facts) {
  ConstantTensor tensor;
  tensor.name = name;
  tensor.element = facts.element;
  tensor.dimensions = facts.dimensions;
  tensor.has_values = true;
  const auto count = static_cast<size_t>(facts.elements());
  if (is_integer(facts.element)) {
    tensor.integers.assign(count, 0);
  } else {
    tensor.numbers.assign(count, 1);
  }
  return tensor;
}

bool is_quantized(const NodeView& view) {
  constexpr std::string_view kQuantized[] = {"ConvInteger", "MatMulInteger", "QLinearConv", "QLinearMatMul"};
  return view.node().domain.empty() && std::ranges::find(kQuantized, view.node().type) != std::end(kQuantized);
}

/// Puts the inputs of the node into the graph, under names of their places.
class InputWriter {
 public:
  InputWriter(const NodeView& view, const NodeProblem& problem, Graph* graph)
      : view_(view), problem_(problem), graph_(graph), is_operand_(view.inputs(), false) {
    for (const size_t operand : problem.operands) is_operand_[operand] = true;
  }

  void write(Node* node) {
    for (size_t i = 0; i < view_.inputs(); ++i) node->inputs[i] = name_of_input(i);
    // Operands come in the problem's order.
    for (const size_t operand : problem_.operands)
      graph_->inputs.push_back(declared(fmt::format("x{}", operand), *view_.input(operand)));
  }

 private:
  std::string name_of_input(size_t index) {
    const ValueFacts* facts = view_.input(index);
    if (facts == nullptr) return "";
    std::string name = fmt::format("x{}", index);
    if (is_operand_[index]) return name;
    if (problem_.is_operand_repeated) return fmt::format("x{}", problem_.operands.front());
    const bool is_general = problem_.operands.empty();
    if (!is_general && is_quantized(view_)) {
      graph_->initializers.push_back(uniform(name, *facts));
    } else if (facts->is_constant && (facts->integers || facts->numbers)) {
      graph_->initializers.push_back(constant_of(name, *facts));
    } else {
      const auto [first, is_new] = first_places_.try_emplace(view_.node().inputs[index], index);
      if (!is_new) return fmt::format("x{}", first->second);
      graph_->inputs.push_back(declared(name, *facts));
    }
    return name;
  }

  const NodeView& view_;
  const NodeProblem& problem_;
  Graph* graph_;
  std::vector<bool> is_operand_;
  std::unordered_map<std::string_view, size_t> first_places_;  // of inputs of the graph, by name in the model
};

/// Of a problem with operands its result alone; else all, of which an operator's schema may ask for several.
void write_outputs(const NodeView& view, const NodeProblem& problem, Node* node, Graph* graph) {
  if (!problem.operands.empty()) node->outputs.resize(1);
  for (size_t i = 0; i < node->outputs.size(); ++i) {
    if (view.output(i) == nullptr) continue;
    node->outputs[i] = fmt::format("y{}", i);
    graph->outputs.push_back(declared(node->outputs[i], *view.output(i)));
  }
}

}  // namespace

std::string single_node_model(const Model& model, const NodeView& view, const NodeProblem& problem) {
  const auto has_type = [](const ValueFacts* facts) {
    return facts == nullptr || facts->element != ElementType::kUndefined;
  };
  for (size_t i = 0; i < view.inputs(); ++i) {
    if (!has_type(view.input(i))) return "";
  }
  Model single = benchmark_model(model, "layer");
  Node node = view.node();
  node.name = "layer";
  InputWriter(view, problem, &single.graph).write(&node);
  write_outputs(view, problem, &node, &single.graph);
  single.graph.nodes.push_back(std::move(node));
  return write_model(single);
}

}  // namespace xsp::bound
