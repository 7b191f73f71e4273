#include <algorithm>

#include "bound/fusion/elementwise_region.h"
#include "bound/fusion/layer_facts.h"
#include "bound/fusion/rule_matchers.h"
#include "bound/onnx/element_type.h"

namespace xsp::bound {
namespace {

bool is_byte(ElementType type) { return type == ElementType::kU8 || type == ElementType::kI8; }

bool is_type(const ModelGraph& graph, size_t layer, std::string_view type) {
  const Node& node = graph.node(layer);
  return node.type == type && (node.domain.empty() || node.domain == "com.microsoft");
}

/// The bytes that an operand was made of; null where it is none such. The layer that makes it belongs to the group if
/// nothing else reads it; else others need it, too, but the group does not.
const GraphValue* bytes_before(const ModelGraph& graph, const GraphValue& operand, std::vector<size_t>* layers) {
  const size_t layer = operand.producer;
  if (layer == kNoLayer || !is_type(graph, layer, "DequantizeLinear")) return nullptr;
  const GraphValue* bytes = graph.input(layer, 0);
  if (bytes == nullptr || !bytes->has_shape() || graph.node(layer).integer("block_size", 0) != 0) return nullptr;
  if (operand.sole_reader() != kNoLayer) layers->push_back(layer);
  return bytes;
}

/// Whether all of a tensor has one scale.
bool has_one_scale(const ModelGraph& graph, size_t layer) {
  const GraphValue* scale = graph.input(layer, 1);
  return scale != nullptr && scale->has_shape() && scale->facts->elements() == 1;
}

}  // namespace

void find_quantized(const ModelGraph& graph, size_t head, GroupList* groups) {
  const bool is_product = graph.is(head, "matmul");
  if (!is_product && !graph.is(head, "conv")) return;
  Problem problem = graph.problem(head);
  if (!problem.field("post").empty() || problem.has("alpha") || problem.has("beta") || graph.inputs(head) < 2) return;
  FusionMatch match{"quantized", {head}, {}};
  const GraphValue* source = graph.input(head, 0);
  const GraphValue* source_bytes = bytes_before(graph, *source, &match.layers);
  const GraphValue* weight_bytes = bytes_before(graph, *graph.input(head, 1), &match.layers);
  if (source_bytes == nullptr || weight_bytes == nullptr || !is_byte(source_bytes->facts->element) ||
      !is_byte(weight_bytes->facts->element) || !has_one_scale(graph, source->producer))
    return;
  if (const GraphValue* bias = graph.input(head, 2)) bytes_before(graph, *bias, &match.layers);

  const GraphValue* result = graph.output(head);
  const auto activation = activation_behind(graph, *result);
  const bool is_rectified = activation && activation->step.alg == "relu";
  if (is_rectified) {
    match.layers.insert(match.layers.end(), activation->layers.begin(), activation->layers.end());
    result = activation->result;
  }
  const SoleReader reader = sole_reader(graph, *result, &match.layers);
  if (reader.layer == kNoLayer || !is_type(graph, reader.layer, "QuantizeLinear") ||
      graph.input(reader.layer, 0) != reader.value || !has_one_scale(graph, reader.layer))
    return;
  const ElementType written = graph.output(reader.layer)->facts->element;
  if (!is_byte(written)) return;
  match.layers.push_back(reader.layer);
  // Bytes without a sign end at 0 anyway.
  if (is_rectified && written == ElementType::kI8) problem.set("post", "relu");
  const auto name = [](ElementType type) { return std::string(name_of(type)); };
  problem.set("dtype",
              name(source_bytes->facts->element) + ":" + name(weight_bytes->facts->element) + ":" + name(written));
  match.problem = std::move(problem);
  groups->add(std::move(match));
}

}  // namespace xsp::bound
