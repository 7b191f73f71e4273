#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bound/onnx/exit_code.h"
#include "bound/onnx/model_file.h"
#include "bound/onnx/node_text.h"
#include "bound/shapes/graph_inference.h"
#include "bound/shapes/shape_limits.h"

namespace xsp::bound {
namespace {

const Graph* body_of(const OperatorCall& call, std::string_view name) {
  const Attribute* attribute = call.node().attribute(name);
  return attribute != nullptr && !attribute->graphs.empty() ? &attribute->graphs[0] : nullptr;
}

/// The one value of a whole number or boolean; nothing where it is computed from data.
std::optional<int64_t> single_value(const ValueFacts& facts) {
  if (!facts.integers || facts.integers->size() != 1) return std::nullopt;
  return facts.integers->front();
}

/// What stays of a value from turn to turn: its shape.
ValueFacts without_values(ValueFacts facts) {
  facts.integers.reset();
  facts.numbers.reset();
  facts.is_constant = false;
  return facts;
}

bool is_same_type(const ValueFacts& left, const ValueFacts& right) {
  return left.has_shape && right.has_shape && left.element == right.element && left.dimensions == right.dimensions;
}

void set_all_unknown(OperatorCall* call, std::string_view why) {
  for (size_t i = 0; i < call->output_count(); ++i) {
    call->output(i).has_shape = false;
    call->output(i).why = fmt::format("{}: {}", node_text(call->node()), why);
  }
}

/// An input as a body gets it.
ValueFacts state_of(const OperatorCall& call, size_t index) {
  if (call.has(index)) return without_values(call.input(index));
  ValueFacts facts;
  facts.why = fmt::format("{}: input {} is left out", node_text(call.node()), index);
  return facts;
}

ValueFacts scalar_of(ElementType element) {
  ValueFacts facts;
  facts.element = element;
  facts.has_shape = true;
  return facts;
}

/// A list with a number for each of `count`, 0 where the node has none.
std::vector<int64_t> axes_for(const OperatorCall& call, std::string_view name, size_t count) {
  std::vector<int64_t> axes = call.node().integers(name);
  axes.resize(count, 0);
  return axes;
}

/// The lists that each turn walks and the values that it copies, in about the time of a name.
size_t turn_cost(const Graph& body) {
  constexpr size_t kValuesOfName = 64;
  size_t cost = 1 + body.inputs.size() + body.outputs.size();
  for (const Node& node : body.nodes) cost += 1 + node.inputs.size() + node.outputs.size();
  for (const ConstantTensor& tensor : body.initializers)
    cost += 1 + (tensor.dimensions.size() + tensor.integers.size() + tensor.numbers.size()) / kValuesOfName;
  return cost;
}

}  // namespace

size_t GraphInference::cost_of(const Graph& body) {
  const auto [found, is_new] = costs_.try_emplace(&body, 0);
  if (is_new) found->second = turn_cost(body);
  return found->second;
}

GraphInference::Body GraphInference::infer_body(const Graph& body, const std::vector<ValueFacts>& inputs,
                                                const Scope& scope) {
  Body result;
  const size_t cost = cost_of(body);
  if (depth_ >= kMostNesting || cost > inner_cost_left_) {
    result.error = "its bodies are nested too deep";
    return result;
  }
  if (body.inputs.size() != inputs.size()) {
    result.error = fmt::format("its body takes {} inputs instead of {}", body.inputs.size(), inputs.size());
    return result;
  }
  inner_cost_left_ -= cost;
  GraphFacts facts;
  Scope inner(&facts, &scope);
  for (size_t i = 0; i < inputs.size(); ++i) inner.set(body.inputs[i].name, inputs[i]);
  ++depth_;
  result.error = infer(body, &inner).error;
  --depth_;
  for (const DeclaredValue& output : body.outputs) {
    const ValueFacts* found = inner.find(output.name);
    if (found == nullptr && result.error.empty())
      result.error = fmt::format("nothing writes its output \"{}\"", name_text(output.name));
    result.outputs.push_back(found == nullptr ? ValueFacts() : *found);
  }
  return result;
}

GraphInference::Body GraphInference::infer_turns(const Graph& body, std::vector<ValueFacts>* inputs,
                                                 const States& states, const Scope& scope) {
  constexpr int kMostTurns = 8;
  Body result;
  for (int turn = 0; turn < kMostTurns; ++turn) {
    result = infer_body(body, *inputs, scope);
    if (!result.error.empty()) return result;
    if (result.outputs.size() < states.first_output + states.count) {
      result.error = "its body has too few outputs";
      return result;
    }
    bool is_settled = true;
    for (size_t i = 0; i < states.count; ++i) {
      ValueFacts& state = (*inputs)[states.first_input + i];
      const ValueFacts& next = result.outputs[states.first_output + i];
      if (!state.has_shape || is_same_type(state, next)) continue;
      is_settled = false;
      state.has_shape = false;
      state.dimensions.clear();
      state.why = next.has_shape ? "a shape that changes from turn to turn" : next.why;
    }
    if (is_settled) return result;
  }
  result.error = "its shapes change from turn to turn";
  return result;
}

Status GraphInference::infer_if(OperatorCall* call, const Scope& scope) {
  const Graph* yes = body_of(*call, "then_branch");
  const Graph* no = body_of(*call, "else_branch");
  if (!call->has(0) || yes == nullptr || no == nullptr)
    return {fmt::format("{} has no condition or lacks a branch", node_text(call->node())), "", kExitBadModel};
  const std::optional<int64_t> condition = single_value(call->input(0));
  Body taken = infer_body(condition == 0 ? *no : *yes, {}, scope);
  taken.outputs.resize(call->output_count());
  if (!condition) {
    Body other = infer_body(*no, {}, scope);
    other.outputs.resize(call->output_count());
    for (size_t i = 0; i < call->output_count(); ++i) {
      ValueFacts& output = taken.outputs[i];
      const bool agrees = is_same_type(output, other.outputs[i]);
      if (output.element != other.outputs[i].element) output.element = ElementType::kUndefined;
      output = without_values(std::move(output));
      if (agrees) continue;
      output.has_shape = false;
      output.dimensions.clear();
      output.why = fmt::format("{}: its branches give different shapes", node_text(call->node()));
    }
  } else if (!taken.error.empty()) {
    set_all_unknown(call, taken.error);
    return {};
  }
  for (size_t i = 0; i < call->output_count(); ++i) {
    call->output(i) = std::move(taken.outputs[i]);
    if (!call->output(i).has_shape && call->output(i).why.empty())
      call->output(i).why = fmt::format("{}: its branch has too few outputs", node_text(call->node()));
  }
  return {};
}

Status GraphInference::infer_loop(OperatorCall* call, const Scope& scope) {
  const Graph* body = body_of(*call, "body");
  if (body == nullptr || call->input_count() < 2)
    return {fmt::format("{} has no body or too few inputs", node_text(call->node())), "", kExitBadModel};
  const size_t states = call->input_count() - 2;
  std::optional<int64_t> turns = call->has(0) ? single_value(call->input(0)) : std::nullopt;
  const std::optional<int64_t> first = call->has(1) ? single_value(call->input(1)) : std::optional<int64_t>(1);
  if (first == 0) turns = 0;

  std::vector<ValueFacts> inputs = {scalar_of(ElementType::kI64), scalar_of(ElementType::kBool)};
  // The number of the turn may also be a list of one. The condition holds wherever the body runs.
  for (size_t i = 0; i < 2 && i < body->inputs.size(); ++i)
    inputs[i].dimensions.assign(std::min<size_t>(body->inputs[i].dimensions.size(), 1), 1);
  inputs[1].integers = std::vector<int64_t>{1};
  for (size_t i = 0; i < states; ++i) inputs.push_back(state_of(*call, i + 2));
  Body result = infer_turns(*body, &inputs, {2, 1, states}, scope);
  if (!result.error.empty()) {
    set_all_unknown(call, result.error);
    return {};
  }
  if (first != 1 || result.outputs.empty() || single_value(result.outputs[0]) != 1)
    if (turns != 0) turns.reset();
  for (size_t i = 0; i < call->output_count(); ++i) {
    ValueFacts& output = call->output(i);
    if (i < states && turns == 0 && call->has(i + 2)) {
      output = call->input(i + 2);
    } else if (i + 1 < result.outputs.size()) {
      output = without_values(std::move(result.outputs[i + 1]));
      if (i >= states && output.has_shape) {
        output.has_shape = turns.has_value();
        if (turns) output.dimensions.insert(output.dimensions.begin(), std::max<int64_t>(*turns, 0));
        output.why = turns ? "" : fmt::format("{}: how often it runs depends on data", node_text(call->node()));
      }
      if (!output.has_shape) output.dimensions.clear();
    } else {
      output.why = fmt::format("{}: its body has too few outputs", node_text(call->node()));
    }
  }
  return {};
}

Status GraphInference::infer_scan(OperatorCall* call, const Scope& scope) {
  const Graph* body = body_of(*call, "body");
  const int64_t scanned = call->node().integer("num_scan_inputs", 0);
  if (body == nullptr || scanned < 1 || scanned > static_cast<int64_t>(call->input_count()))
    return {fmt::format("{} has no body or no input to scan", node_text(call->node())), "", kExitBadModel};
  if (call->opset() < 9) {
    set_all_unknown(call, "a Scan before opset 9 is not followed");
    return {};
  }
  const auto elements = static_cast<size_t>(scanned);
  const size_t states = call->input_count() - elements;
  std::vector<int64_t> axes = axes_for(*call, "scan_input_axes", elements);
  std::vector<ValueFacts> inputs;
  std::optional<int64_t> turns;
  for (size_t i = 0; i < call->input_count(); ++i) {
    ValueFacts facts = state_of(*call, i);
    if (i >= states && facts.has_shape) {
      int64_t axis = axes[i - states];
      if (!normalize_axis(static_cast<int64_t>(facts.dimensions.size()), &axis))
        return {fmt::format("{}: {}", node_text(call->node()), no_such_axis(axis, facts.dimensions).text), "",
                kExitBadModel};
      turns = facts.dimensions[static_cast<size_t>(axis)];
      facts.dimensions.erase(facts.dimensions.begin() + axis);
    }
    inputs.push_back(std::move(facts));
  }
  Body result = infer_turns(*body, &inputs, {0, 0, states}, scope);
  if (!result.error.empty()) {
    set_all_unknown(call, result.error);
    return {};
  }
  axes = axes_for(*call, "scan_output_axes", call->output_count() - std::min(states, call->output_count()));
  for (size_t i = 0; i < call->output_count(); ++i) {
    ValueFacts& output = call->output(i);
    if (i < result.outputs.size()) output = without_values(std::move(result.outputs[i]));
    if (i >= states && output.has_shape) {
      int64_t axis = axes[i - states];
      output.has_shape = turns.has_value() && normalize_axis(static_cast<int64_t>(output.dimensions.size()) + 1, &axis);
      if (output.has_shape) output.dimensions.insert(output.dimensions.begin() + axis, *turns);
    }
    if (output.has_shape) continue;
    output.dimensions.clear();
    if (output.why.empty()) output.why = fmt::format("{}: how often it runs is unknown", node_text(call->node()));
  }
  return {};
}

}  // namespace xsp::bound
