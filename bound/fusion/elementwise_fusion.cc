#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bound/fusion/elementwise_region.h"
#include "bound/fusion/group_model.h"
#include "bound/fusion/layer_facts.h"
#include "bound/fusion/rule_matchers.h"
#include "bound/onnx/element_type.h"

namespace xsp::bound {
namespace {

Problem activation_problem(const PostStep& step, const GraphValue& value, const std::string& dtype) {
  Problem problem("eltwise");
  problem.set("alg", step.alg).set_dimensions("src", value.dimensions());
  return problem.set_number("alpha", step.alpha).set_number("beta", step.beta).set("dtype", dtype);
}

bool is_fractional(const GraphValue& value) { return is_floating(value.facts->element); }

/// An activation that is composed of several layers.
void find_composed(const ModelGraph& graph, size_t head, GroupList* groups) {
  for (size_t i = 0; i < graph.inputs(head) && i < 2; ++i) {
    const GraphValue* value = graph.input(head, i);
    if (value == nullptr || value->facts->is_constant || !value->has_shape() || !is_fractional(*value) ||
        value->readers.empty() || value->readers.front() != head)
      continue;
    // In the middle of a chain nothing begins.
    if (value->readers.size() == 1 && value->producer != kNoLayer && is_elementwise(graph, value->producer)) continue;
    const auto activation = activation_behind(graph, *value);
    if (!activation || activation->layers.size() < 2) continue;
    const Problem& problem = graph.problem(activation->layers.front());
    if (problem.kind().empty()) continue;
    groups->add({"elementwise", activation->layers,
                 activation_problem(activation->step, *value, std::string(problem.field("dtype")))});
  }
}

/// An operation on two tensors with an activation behind it.
void find_activated(const ModelGraph& graph, size_t head, GroupList* groups) {
  const Problem& problem = graph.problem(head);
  const GraphValue* result = graph.output(head);
  if (problem.kind() != "binary" || !problem.field("post").empty() || result == nullptr || !is_fractional(*result))
    return;
  const auto activation = activation_behind(graph, *result);
  if (!activation) return;
  FusionMatch match{"elementwise", activation->layers, Problem("binary")};
  match.layers.push_back(head);
  for (const char* const name : {"alg", "src0", "src1"}) match.problem.set(name, problem.field(name));
  match.problem.set("post", text_of(activation->step)).set("dtype", problem.field("dtype"));
  groups->add(std::move(match));
}

/// The steps of a chain as text, with its tensors in the order in which they are read.
class ChainText {
 public:
  ChainText(const ModelGraph& graph, const std::vector<size_t>& layers) : graph_(graph) {
    for (const size_t layer : layers) add(layer);
  }

  Problem problem(const GraphValue& result) const {
    Problem problem("Fused.Elementwise");
    return problem.set("in", inputs_).set("out", result.facts->text()).set("steps", steps_);
  }
  double read_bytes() const { return read_bytes_; }

 private:
  void add(size_t layer) {
    const std::string name = fmt::format("s{}", written_++);
    if (graph_.is_transparent(layer)) {
      names_.emplace(graph_.output(layer), names_.at(graph_.input(layer, 0)));
      --written_;
      return;
    }
    const Problem& problem = graph_.problem(layer);
    std::string step(problem.kind().empty() ? "pow" : problem.field("alg"));
    step += '(' + operand(layer, 0);
    if (problem.kind() == "eltwise") {
      const size_t arguments = elementwise_algorithm(problem.field("alg"))->arguments;
      if (arguments > 0) step += fmt::format(",{}", problem.field("alpha"));
      if (arguments > 1) step += fmt::format(",{}", problem.field("beta"));
    } else {
      step += ',' + operand(layer, 1);
    }
    steps_ += (steps_.empty() ? "" : ";") + step + ')';
    names_.emplace(graph_.output(layer), name);
  }

  std::string operand(size_t layer, size_t place) {
    const GraphValue* value = graph_.input(layer, place);
    if (const auto found = names_.find(value); found != names_.end()) return found->second;
    if (const auto number = ModelGraph::number_of(*value)) return number_text(*number);
    std::string name = fmt::format("i{}", read_++);
    inputs_ += (inputs_.empty() ? "" : ";") + value->facts->text();
    read_bytes_ += value->facts->elements() * bytes_of(value->facts->element);
    names_.emplace(value, name);
    return name;
  }

  const ModelGraph& graph_;
  std::map<const GraphValue*, std::string> names_;
  std::string inputs_, steps_;
  size_t read_ = 0, written_ = 0;
  double read_bytes_ = 0;
};

}  // namespace

void find_activations(const ModelGraph& graph, size_t head, GroupList* groups) {
  if (!is_elementwise(graph, head)) return;
  find_composed(graph, head, groups);
  find_activated(graph, head, groups);
}

void find_chains(const ModelGraph& graph, GroupList* groups) {
  std::vector<bool> is_covered(graph.layers(), false);
  for (size_t head = 0; head < graph.layers(); ++head) {
    if (!is_elementwise(graph, head) || (is_covered[head] && !groups->is_behind_a_group(head))) continue;
    const GraphValue* first = graph.output(head);
    if (first == nullptr || !first->has_shape() || !is_fractional(*first)) continue;
    std::vector<size_t> layers{head};
    const GraphValue* result = nullptr;
    visit_regions(graph, *first, true, [&](const ElementwiseRegion& region) {
      if (region.with_work >= kMostElementwiseLayers) return false;
      layers.resize(1);
      layers.insert(layers.end(), region.layers.begin(), region.layers.end());
      result = region.result;
      return true;
    });
    if (result == nullptr) continue;
    const bool is_known = groups->contains(layers);
    std::optional<double> flops = 0;
    for (const size_t layer : layers) {
      is_covered[layer] = true;
      if (!has_work(graph.layer(layer).layer_class)) continue;
      const auto& of_layer = graph.layer(layer).flops;
      flops = flops && of_layer ? std::optional(*flops + *of_layer) : std::nullopt;
    }
    if (is_known) continue;  // as what libraries compute
    const ChainText text(graph, layers);
    const double bytes = text.read_bytes() + result->facts->elements() * bytes_of(result->facts->element);
    groups->add_general(
        {"elementwise", layers, text.problem(*result)}, [&] { return nodes_model(graph, layers); }, flops, bytes);
  }
}

}  // namespace xsp::bound
