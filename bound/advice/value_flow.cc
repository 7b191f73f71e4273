#include "bound/advice/value_flow.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/number_text.h"
#include "bound/model/model_source.h"

namespace xsp::bound {
namespace {

constexpr std::string_view kFloatTensor = "f32[";

/// Operators whose inputs behind the first are weights, also where a model declares them as inputs.
constexpr std::string_view kWithWeights[] = {"Conv", "ConvTranspose",      "FusedConv",
                                             "Gemm", "BatchNormalization", "LayerNormalization"};

bool is_weight(const Node& node, size_t input) {
  return input > 0 && std::ranges::find(kWithWeights, node.type) != std::end(kWithWeights);
}

/// Of "f32[1,64,56,56];f32[…]" those of the first tensor; 0 for another type.
int64_t elements_in_text(std::string_view tensors) {
  if (!tensors.starts_with(kFloatTensor)) return 0;
  tensors.remove_prefix(kFloatTensor.size());
  tensors = tensors.substr(0, tensors.find(']'));
  double elements = 1;
  while (!tensors.empty()) {
    const size_t comma = std::min(tensors.find(','), tensors.size());
    const auto size = number_in<int64_t>(tensors.substr(0, comma));
    if (!size || *size < 0) return 0;
    elements *= static_cast<double>(*size);
    tensors.remove_prefix(std::min(comma + 1, tensors.size()));
  }
  constexpr double kMost = 9007199254740992.0;
  return elements < kMost ? static_cast<int64_t>(elements) : 0;
}

std::vector<FloatValue> values_of_layers(const LayeredModel& model) {
  std::vector<FloatValue> values;
  std::vector<size_t> value_of(model.layers.size(), SIZE_MAX);
  for (size_t layer = 0; layer < model.layers.size(); ++layer) {
    const int64_t elements = elements_in_text(model.layers[layer].outputs);
    if (elements == 0) continue;
    value_of[layer] = values.size();
    values.push_back({.producer = layer, .readers = {}, .is_output = true, .elements = elements});
  }
  for (size_t layer = 0; layer < model.layers.size(); ++layer) {
    for (const size_t producer : model.layers[layer].producers) {
      if (producer >= value_of.size() || value_of[producer] == SIZE_MAX) continue;
      FloatValue& value = values[value_of[producer]];
      value.readers.push_back(layer);
      value.is_output = false;
    }
  }
  return values;
}

/// Values of a graph by name.
class NamedValues {
 public:
  explicit NamedValues(const ModelSource& source) : facts_(source.facts) {}

  void add(const std::string& name, size_t producer) {
    const auto facts = facts_.find(name);
    if (name.empty() || facts == facts_.end()) return;
    const ValueFacts& known = facts->second;
    if (known.element != ElementType::kF32 || !known.has_shape || known.is_constant || known.elements() < 1) return;
    if (!places_.try_emplace(name, values_.size()).second) return;
    values_.push_back(
        {.producer = producer, .readers = {}, .is_output = false, .elements = static_cast<int64_t>(known.elements())});
  }
  FloatValue* find(const std::string& name) {
    const auto place = places_.find(name);
    return place == places_.end() ? nullptr : &values_[place->second];
  }
  /// Without inputs that nothing reads but as weights.
  std::vector<FloatValue> take() {
    std::erase_if(values_, [](const FloatValue& value) {
      return value.producer == kNoLayer && value.readers.empty() && !value.is_output;
    });
    return std::move(values_);
  }

 private:
  const GraphFacts& facts_;
  std::unordered_map<std::string_view, size_t> places_;
  std::vector<FloatValue> values_;
};

void add_reader(size_t layer, FloatValue* value) {
  if (value->readers.empty() || value->readers.back() != layer) value->readers.push_back(layer);
}

std::vector<FloatValue> values_of_source(const LayeredModel& model) {
  const Graph& graph = model.source->model.graph;
  NamedValues values(*model.source);
  for (const DeclaredValue& input : graph.inputs) values.add(input.name, kNoLayer);
  for (size_t layer = 0; layer < graph.nodes.size(); ++layer) {
    for (const std::string& output : graph.nodes[layer].outputs) values.add(output, layer);
  }
  for (size_t layer = 0; layer < graph.nodes.size(); ++layer) {
    const Node& node = graph.nodes[layer];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      FloatValue* const value = values.find(node.inputs[i]);
      if (value == nullptr || (value->producer == kNoLayer && is_weight(node, i))) continue;
      add_reader(layer, value);
    }
    // What subgraphs read is listed as a producer of their node, and not as an input.
    const std::unordered_set<std::string_view> inputs(node.inputs.begin(), node.inputs.end());
    for (const size_t producer : model.layers[layer].producers) {
      const auto& outputs = graph.nodes[producer].outputs;
      const bool is_named = std::ranges::any_of(
          outputs, [&](const std::string& output) { return !output.empty() && inputs.contains(output); });
      for (const std::string& output : outputs) {
        FloatValue* const value = is_named ? nullptr : values.find(output);
        if (value != nullptr) add_reader(layer, value);
      }
    }
  }
  for (const DeclaredValue& output : graph.outputs) {
    if (FloatValue* const value = values.find(output.name)) value->is_output = true;
  }
  return values.take();
}

}  // namespace

std::vector<FloatValue> float_values(const LayeredModel& model) {
  const bool has_source = model.source != nullptr && model.source->model.graph.nodes.size() == model.layers.size();
  return has_source ? values_of_source(model) : values_of_layers(model);
}

}  // namespace xsp::bound
