#include "bound/shapes/graph_inference.h"

#include <fmt/format.h>

#include <algorithm>

#include "bound/onnx/exit_code.h"
#include "bound/onnx/node_text.h"
#include "bound/shapes/shape_limits.h"
#include "bound/shapes/value_folding.h"

namespace xsp::bound {
namespace {

/// Lists of sizes and axes are folded whatever else was.
constexpr double kSmallList = 32;

std::string_view domain_of(const Node& node) { return node.domain == "ai.onnx" ? "" : std::string_view(node.domain); }

/// "the operator com.acme.Foo of node n3 is unknown"
std::string unknown_operator(const Node& node) {
  const std::string_view domain = domain_of(node);
  const std::string type = name_text(domain.empty() ? node.type : node.domain + "." + node.type);
  if (!node.name.empty()) return fmt::format("the operator {} of node {} is unknown", type, name_text(node.name));
  return fmt::format("the operator {}, which writes {}, is unknown", type, name_text(node.outputs[0]));
}

void set_unknown(OperatorCall* call, const std::string& why) {
  for (size_t i = 0; i < call->output_count(); ++i)
    if (!call->output(i).has_shape) call->output(i).why = why;
}

/// The first input without a shape; null where all that are there have one.
const ValueFacts* first_unknown(const OperatorCall& call) {
  for (size_t i = 0; i < call.input_count(); ++i)
    if (call.has(i) && !call.input(i).has_shape) return &call.input(i);
  return nullptr;
}

void set_constness(const OperatorRule& rule, OperatorCall* call) {
  bool is_constant = (rule.traits & OperatorRule::kRandom) == 0;
  if ((rule.traits & OperatorRule::kOfShapeAlone) == 0)
    for (size_t i = 0; i < call->input_count(); ++i) is_constant &= !call->has(i) || call->input(i).is_constant;
  for (size_t i = 0; i < call->output_count(); ++i) call->output(i).is_constant = is_constant;
}

}  // namespace

const ValueFacts* Scope::find(const std::string& name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_)
    if (const auto found = scope->own_->find(name); found != scope->own_->end()) return &found->second;
  return nullptr;
}

Status GraphInference::infer(const Graph& graph, Scope* scope) {
  scope->reserve(graph.initializers.size() + graph.nodes.size() + graph.nodes.size() / 4);
  for (const ConstantTensor& tensor : graph.initializers) {
    if (const std::string problem = shape_problem(tensor.dimensions); !problem.empty())
      return {fmt::format("weight \"{}\" has {}", name_text(tensor.name), problem), "", kExitBadModel};
    scope->set(tensor.name, facts_of(tensor));
  }
  for (const Node& node : graph.nodes)
    if (Status status = infer_node(node, scope); !status.ok()) return status;
  return {};
}

Status GraphInference::infer_node(const Node& node, Scope* scope) {
  std::vector<const ValueFacts*> inputs;
  inputs.reserve(node.inputs.size());
  for (const std::string& name : node.inputs) {
    inputs.push_back(name.empty() ? nullptr : scope->find(name));
    if (!name.empty() && inputs.back() == nullptr)
      return {fmt::format("{} reads \"{}\", which nothing writes", node_text(node), name_text(name)), "",
              kExitBadModel};
  }
  if (node.outputs.empty()) return {};
  OperatorCall call(node, model_->opset(node.domain), std::move(inputs));
  const bool is_onnx = domain_of(node).empty();
  Status status = is_onnx && node.type == "If"     ? infer_if(&call, *scope)
                  : is_onnx && node.type == "Loop" ? infer_loop(&call, *scope)
                  : is_onnx && node.type == "Scan" ? infer_scan(&call, *scope)
                                                   : infer_operator(&call);
  if (!status.ok()) return status;
  for (size_t i = 0; i < call.output_count(); ++i) {
    ValueFacts& output = call.output(i);
    if (!call.wants(i)) continue;
    if (const std::string problem = shape_problem(output.dimensions); !problem.empty())
      return {fmt::format("the output {} of {} has {}", text_of(output.dimensions), node_text(node), problem), "",
              kExitBadModel};
    scope->set(node.outputs[i], std::move(output));
  }
  return {};
}

Status GraphInference::infer_operator(OperatorCall* call) {
  const Node& node = call->node();
  const std::string_view domain = domain_of(node);
  const OperatorRule* rule = find_rule(domain, node.type);
  if (rule == nullptr) {
    set_unknown(call, unknown_operator(node));
    return {};
  }
  Finding finding;
  for (size_t i = 0; i < rule->inputs && finding.is_known(); ++i)
    if (!call->has(i)) finding = Finding::impossible(fmt::format("input {} is left out", i));
  if (finding.is_known()) {
    set_elements(*rule, call);
    const ValueFacts* unknown = (rule->traits & OperatorRule::kAnyInput) != 0 ? nullptr : first_unknown(*call);
    if (unknown != nullptr) {
      set_unknown(call, unknown->why);
      return {};
    }
    finding = rule->shapes(*call);
  }
  if (finding.is_known()) {
    set_constness(*rule, call);
    set_unknown(call, fmt::format("{} has fewer outputs", node_text(node)));
    fold_values(*rule, call);
    return {};
  }
  const std::string words = fmt::format("{}: {}", node_text(node), finding.text);
  // Rules of frameworks' own operators follow what versions of theirs agree on.
  if (finding.kind == Finding::Kind::kImpossible && domain.empty()) return {words, "", kExitBadModel};
  set_unknown(call, words);
  return {};
}

void GraphInference::fold_values(const OperatorRule& rule, OperatorCall* call) {
  const ValueFacts& output = call->output(0);
  if (rule.values == nullptr || !keeps_values(output) || !shape_problem(output.dimensions).empty()) return;
  double read = 0;
  for (size_t i = 0; i < call->input_count(); ++i)
    if (call->has(i) && (call->input(i).integers || call->input(i).numbers)) read += call->input(i).elements();
  const double made = output.elements();
  if (made > std::max(kept_values_left_, kSmallList) || read + made > std::max(folding_left_, kSmallList)) return;
  rule.values(*call);
  folding_left_ -= read + made;
  for (size_t i = 0; i < call->output_count(); ++i) {
    const ValueFacts& folded = call->output(i);
    if (folded.integers || folded.numbers) kept_values_left_ -= folded.elements();
  }
}

}  // namespace xsp::bound
