#include "bound/joining/join_subject.h"

#include <algorithm>

#include "analysis/concurrency/node_names.h"
#include "analysis/timeline/layer_shapes.h"
#include "bound/joining/call_problem.h"
#include "bound/joining/tensor_shapes.h"
#include "bound/model/model_source.h"
#include "bound/problems/problem.h"

namespace xsp::bound {
namespace {

using analysis::Kind;

using Shapes = std::vector<std::vector<int64_t>>;

/// ONNX adds tensors by Sum, which everywhere else is a reduction.
std::string_view onnx_type(std::string_view type) { return type == "Sum" ? "Add" : type; }

/// Of what an operator reads: its first tensor that is no vector, and the weights of convolutions and products. Some
/// read a bias first.
std::string input_key(std::string_view family, const Shapes& inputs) {
  const auto is_matrix = [](const std::vector<int64_t>& shape) { return shape.size() > 1; };
  const auto source = std::ranges::find_if(inputs, is_matrix);
  if (source == inputs.end()) return inputs.empty() ? std::string() : shape_key(inputs.front());
  std::string key = family == "matmul" ? product_shape_key(*source) : shape_key(*source);
  if (family != "conv" && family != "deconv" && family != "matmul") return key;
  const auto weights = std::find_if(source + 1, inputs.end(), is_matrix);
  if (weights != inputs.end()) key += " " + shape_key(*weights);
  return key;
}

std::string problem_key(std::string_view text) {
  const auto problem = Problem::parse(text);
  if (!problem) return {};
  std::string key = problem->kind();
  for (const std::string_view field : {"src", "src0", "wei", "kernel"}) {
    if (problem->has(field)) key += " " + shape_key(problem->dimensions(field));
  }
  return key;
}

bool has_modules(std::string_view framework) { return framework == "pytorch" || framework == "tensorflow"; }

/// Whether the layers of the trace tell the shapes of what they read, and not of what they write.
bool tells_inputs(const analysis::Trace& trace) {
  return std::ranges::any_of(
      trace.segments, [](const analysis::Segment& segment) { return analysis::tells_inputs_only(segment.source); });
}

TracedEvidence evidence_of(const analysis::Trace& trace, analysis::Row row, const TraceLayer& layer,
                           const JoinedTrace& joined, bool tells_input) {
  const Kind kind = trace.spans.kind[row];
  const std::string_view type = joined.framework == "onnxruntime" ? onnx_type(layer.type) : layer.type;
  TracedEvidence evidence;
  evidence.type = plain_type(type);
  evidence.family = family_of(type);
  evidence.is_operator = kind == Kind::kOperator;
  evidence.is_call = kind == Kind::kLibraryCall;
  evidence.has_module = has_modules(joined.framework) && !evidence.is_call;
  if (evidence.has_module) evidence.module = analysis::module_of_layer(layer.name, evidence.is_operator);
  if (evidence.is_call) {
    evidence.key = problem_key(problem_of_call(trace, row).problem);
    evidence.shape_of = ShapeOf::kProblem;
  } else if (const Shapes shapes = shapes_in(layer.shape); !shapes.empty()) {
    evidence.shape_of = tells_input ? ShapeOf::kInput : ShapeOf::kOutput;
    evidence.key =
        tells_input ? input_key(evidence.family.name, shapes) : output_key(evidence.family.name, shapes.front());
    if (!tells_input) evidence.shape = shapes.front();
  }
  if (evidence.key.empty()) evidence.shape_of = ShapeOf::kNothing;
  return evidence;
}

/// Inputs that are no weights.
size_t operands_of(const LayeredModel& model, size_t index) {
  if (model.source == nullptr || index >= model.source->model.graph.nodes.size())
    return model.layers[index].producers.size();
  const GraphFacts& facts = model.source->facts;
  const auto& inputs = model.source->model.graph.nodes[index].inputs;
  return static_cast<size_t>(std::ranges::count_if(inputs, [&](const std::string& input) {
    const auto found = facts.find(input);
    return !input.empty() && (found == facts.end() || !found->second.is_constant);
  }));
}

/// Computed from weights and shapes alone, before anything runs.
bool is_constant(const LayeredModel& model, size_t index) {
  if (model.layers[index].layer_class != LayerClass::kZero) return false;
  if (model.source == nullptr || index >= model.source->model.graph.nodes.size())
    return model.layers[index].producers.empty();
  const GraphFacts& facts = model.source->facts;
  return std::ranges::all_of(model.source->model.graph.nodes[index].outputs, [&](const std::string& output) {
    const auto found = facts.find(output);
    return output.empty() || (found != facts.end() && found->second.is_constant);
  });
}

ModelledEvidence evidence_of(const LayeredModel& model, size_t index) {
  const Layer& layer = model.layers[index];
  ModelledEvidence evidence;
  evidence.family = family_of(onnx_type(layer.type));
  evidence.has_work = has_work(layer.layer_class);
  evidence.module = analysis::module_of_node(layer.name, &evidence.has_module);
  const Shapes outputs = shapes_in(layer.outputs);
  if (!outputs.empty()) {
    evidence.shape = outputs.front();
    evidence.keys[static_cast<size_t>(ShapeOf::kOutput)] = output_key(evidence.family.name, outputs.front());
  }
  evidence.keys[static_cast<size_t>(ShapeOf::kInput)] = input_key(evidence.family.name, shapes_in(layer.inputs));
  evidence.keys[static_cast<size_t>(ShapeOf::kProblem)] = problem_key(layer.problem);
  evidence.is_constant = is_constant(model, index);
  evidence.has_one_operand = operands_of(model, index) <= 1;
  return evidence;
}

}  // namespace

std::string output_key(std::string_view family, const std::vector<int64_t>& shape) {
  if (family == "matmul") return product_shape_key(shape);
  return family == "transpose" ? element_count_key(shape) : shape_key(shape);
}

JoinSubject join_subject(const analysis::AnalysedTrace& trace, const LayeredModel& model,
                         const std::vector<FusedGroup>& groups, const JoinedTrace& joined) {
  JoinSubject subject;
  subject.model = &model;
  subject.groups = &groups;
  subject.framework = joined.framework;
  const bool tells_input = tells_inputs(trace.trace);
  const auto& layers = trace.study->joined.layers;
  for (const TraceLayer& layer : joined.layers) {
    subject.traced.push_back(evidence_of(trace.trace, layers[layer.index].row, layer, joined, tells_input));
  }
  subject.modelled.reserve(model.layers.size());
  for (size_t i = 0; i < model.layers.size(); ++i) subject.modelled.push_back(evidence_of(model, i));
  return subject;
}

}  // namespace xsp::bound
