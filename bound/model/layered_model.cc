#include "bound/model/layered_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "bound/model/layer_class.h"
#include "bound/model/layer_work.h"
#include "bound/model/model_source.h"
#include "bound/model/node_problem.h"
#include "bound/model/short_text.h"
#include "bound/model/single_node_model.h"
#include "bound/model/value_readers.h"
#include "bound/onnx/model_file.h"

namespace xsp::bound {
namespace {

std::string layer_name(const Node& node) {
  if (!node.name.empty()) return node.name;
  const auto named = std::ranges::find_if(node.outputs, [](const std::string& output) { return !output.empty(); });
  return named == node.outputs.end() ? node.type : *named;
}

/// "f32": of a problem with operands the source's, else the result's.
std::string computed_type(const NodeView& view, const NodeProblem& made) {
  if (!made.operands.empty()) {
    const std::string source = made.problem.types().source;
    return source.empty() ? std::string(made.problem.field("to")) : source;
  }
  const ValueFacts* facts = view.output(0) != nullptr ? view.output(0) : view.input(0);
  return facts == nullptr || facts->element == ElementType::kUndefined ? "" : std::string(name_of(facts->element));
}

/// Makes layers of nodes, one after another.
class LayerMaker {
 public:
  LayerMaker(const Model& model, const GraphFacts& facts, LayeredModel* layered)
      : model_(model), facts_(facts), layered_(layered), readers_(model.graph) {}

  void add(const Node& node) {
    const size_t index = layered_->layers.size();
    std::vector<bool> is_used;
    is_used.reserve(node.outputs.size());
    for (const std::string& output : node.outputs) is_used.push_back(readers_.is_read(output));
    const NodeView view(node, model_.opset(node.domain), facts_, std::move(is_used));

    Layer layer;
    layer.name = layer_name(node);
    layer.type = view.type();
    auto [layer_class, reason] = classify(view);
    if (!readers_.is_needed(index) && layer_class != LayerClass::kZero) {
      // Every runtime drops it.
      ++dropped_;
      layer_class = LayerClass::kZero;
      reason.clear();
    }
    layer.layer_class = layer_class;
    layer.reason = std::move(reason);
    layer.inputs = inputs_text(view);
    layer.outputs = outputs_text(view);
    layer.producers = readers_.producers_of(node, index);
    layer.unique = kNoProblem;
    if (has_all_shapes(view)) {
      const NodeProblem made = has_work(layer_class) ? problem_of(view) : general_problem(view);
      layer.dtype = computed_type(view, made);
      layer.problem = made.problem.text();
      if (has_work(layer_class)) {
        const LayerWork work = work_of(view, made.problem);
        layer.flops = work.flops;
        layer.bytes = work.bytes;
        layered_->multiply_adds += multiply_adds_of(made.problem);
      }
      layer.unique = unique_of(layer, index, view, made);
    } else {
      layer.dtype = computed_type(view, {});
    }
    layered_->layers.push_back(std::move(layer));
  }

  /// How many layers would cost something if an output of the model needed them.
  size_t dropped() const { return dropped_; }

 private:
  size_t unique_of(const Layer& layer, size_t index, const NodeView& view, const NodeProblem& made) {
    const auto [found, is_new] = by_problem_.try_emplace(layer.problem, layered_->unique.size());
    if (is_new) layered_->unique.push_back({.problem = layer.problem, .first = index});
    UniqueLayer& unique = layered_->unique[found->second];
    ++unique.layers;
    // A layer that costs nothing, since its result is known or not needed, may have the problem of one that does.
    const bool is_first_with_work =
        has_work(layer.layer_class) && (is_new || !has_work(layered_->layers[unique.first].layer_class));
    if (is_first_with_work) {
      unique.first = index;
      unique.model = single_node_model(model_, view, made);
    }
    return found->second;
  }

  const Model& model_;
  const GraphFacts& facts_;
  LayeredModel* layered_;
  ValueReaders readers_;
  std::unordered_map<std::string, size_t> by_problem_;
  size_t dropped_ = 0;
};

}  // namespace

Status take_apart(const std::string& path, const ShapeBindings& bindings, LayeredModel* layered) {
  *layered = {};
  layered->path = path;
  layered->name = std::filesystem::path(path).stem().string();
  auto source = std::make_shared<ModelSource>();
  Model& model = source->model;
  if (Status status = read_model(path, &model); !status.ok()) return status;
  InferredShapes shapes;
  if (Status status = infer_shapes(model, bindings, &shapes); !status.ok()) return status;
  layered->notes = std::move(shapes.notes);
  layered->layers.reserve(model.graph.nodes.size());
  source->facts = std::move(shapes.values);
  LayerMaker maker(model, source->facts, layered);
  for (const Node& node : model.graph.nodes) maker.add(node);
  layered->source = std::move(source);
  if (const size_t dropped = maker.dropped(); dropped > 0) {
    layered->notes.push_back(dropped == 1
                                 ? "1 layer computes what nothing reads; it costs nothing"
                                 : fmt::format("{} layers compute what nothing reads; they cost nothing", dropped));
  }
  return {};
}

}  // namespace xsp::bound
