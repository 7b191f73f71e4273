#include "bound/backends/node_model.h"

#include <algorithm>
#include <unordered_set>

#include "bound/backends/tensor_bytes.h"
#include "bound/onnx/model_file.h"

namespace xsp::bound {
namespace {

/// Larger inputs belong to no layer that is measured here.
constexpr size_t kMostInputElements = size_t{1} << 31;
/// Larger weights stay inputs: as constants they would lie in memory several times while the model is loaded.
constexpr size_t kMostWeightElements = size_t{1} << 26;

constexpr size_t kAnyRank = SIZE_MAX;

/// Inputs of operators that are weights in practically every model: from `first` to `last`, if their rank is at most
/// that.
constexpr struct {
  std::string_view type;
  size_t first;
  size_t last;
  size_t most_rank = kAnyRank;
} kWeightInputs[] = {
    {"Conv", 1, 2},
    {"ConvTranspose", 1, 2},
    {"FusedConv", 1, 2},
    {"ConvInteger", 1, 3},
    {"QLinearConv", 1, 8},
    {"Gemm", 1, 2},
    {"FusedGemm", 1, 2},
    {"MatMul", 1, 1, 2},
    {"FusedMatMul", 1, 1, 2},
    {"MatMulInteger", 1, 1, 2},
    {"MatMulIntegerToFloat", 1, 1, 2},
    {"DynamicQuantizeMatMul", 1, 4, 2},
    {"QLinearMatMul", 1, 7, 2},
    {"MatMulNBits", 1, 4},
    {"QGemm", 1, 8},
    {"Add", 0, 1, 1},  // the bias of a product
    {"BiasGelu", 1, 1},
    {"FastGelu", 1, 1},
    {"BatchNormalization", 1, 4},
    {"InstanceNormalization", 1, 2},
    {"LayerNormalization", 1, 2},
    {"GroupNormalization", 1, 2},
    {"SkipLayerNormalization", 2, 4},
    {"PRelu", 1, 1},
    {"RNN", 1, 3},
    {"GRU", 1, 3},
    {"LSTM", 1, 3},
    {"Attention", 1, 2, 2},
    {"QAttention", 1, 7, 2},
};

bool is_weight(const Graph& graph, const DeclaredValue& input) {
  for (const Node& node : graph.nodes) {
    for (const auto& weights : kWeightInputs) {
      if (weights.type != node.type || input.dimensions.size() > weights.most_rank) continue;
      for (size_t i = weights.first; i <= weights.last && i < node.inputs.size(); ++i) {
        if (node.inputs[i] == input.name) return true;
      }
    }
  }
  return false;
}

Status size_of(const DeclaredValue& input, OrtInput* sized, size_t* elements) {
  if (!input.is_tensor || !input.has_rank) return {"the input " + input.name + " is no tensor of known size", ""};
  if (!has_plain_bytes(input.element)) return {"the input " + input.name + " has a type that is not filled here", ""};
  sized->name = input.name;
  sized->element = input.element;
  *elements = 1;
  for (const Dimension& dimension : input.dimensions) {
    const auto size = static_cast<size_t>(dimension.size);
    if (dimension.size < 0 || (size > 0 && *elements > kMostInputElements / size)) {
      return {"the input " + input.name + " is too large or of unknown size", ""};
    }
    *elements *= size;
    sized->dimensions.push_back(dimension.size);
  }
  return {};
}

/// Positive numbers around one, in which no function leaves its domain.
std::vector<float> safe_values(ElementType element, size_t elements, int64_t whole) {
  if (element != ElementType::kBool && is_integer(element)) {
    return std::vector<float>(elements, static_cast<float>(whole));
  }
  std::vector<float> values(elements);
  for (size_t i = 0; i < elements; ++i) {
    values[i] = element == ElementType::kBool ? static_cast<float>(i % 2) : 0.5f + static_cast<float>(i % 8) / 8;
  }
  return values;
}

ConstantTensor constant_of(const OrtInput& input, const std::vector<float>& values) {
  ConstantTensor constant;
  constant.name = input.name;
  constant.element = input.element;
  constant.dimensions = input.dimensions;
  constant.has_values = true;
  if (is_integer(input.element)) {
    constant.integers.assign(values.begin(), values.end());
  } else {
    constant.numbers.assign(values.begin(), values.end());
  }
  return constant;
}

}  // namespace

NodeModel NodeModel::repeated(size_t copies) const {
  NodeModel result = *this;
  std::unordered_set<std::string> written;
  for (const Node& node : model.graph.nodes) written.insert(node.outputs.begin(), node.outputs.end());
  // Of several nodes the inner ones would be the same in all copies, and be computed once, if they read the same.
  std::unordered_set<std::string> copied;
  if (model.graph.nodes.size() > 1) {
    for (const DeclaredValue& input : model.graph.inputs) copied.insert(input.name);
  }
  for (size_t copy = 1; copy < copies; ++copy) {
    const std::string suffix = "/" + std::to_string(copy);
    const auto rename = [&](std::string* name) {
      if (!name->empty() && (written.contains(*name) || copied.contains(*name))) *name += suffix;
    };
    if (!copied.empty()) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        result.inputs.push_back(inputs[i]);
        rename(&result.inputs.back().name);
        result.model.graph.inputs.push_back(model.graph.inputs[i]);
        rename(&result.model.graph.inputs.back().name);
      }
    }
    for (Node node : model.graph.nodes) {
      if (!node.name.empty()) node.name += suffix;
      std::ranges::for_each(node.inputs, [&](std::string& name) { rename(&name); });
      std::ranges::for_each(node.outputs, [&](std::string& name) { rename(&name); });
      result.model.graph.nodes.push_back(std::move(node));
    }
    for (DeclaredValue output : model.graph.outputs) {
      rename(&output.name);
      result.outputs.push_back(output.name);
      result.model.graph.outputs.push_back(std::move(output));
    }
  }
  result.bytes = std::make_shared<const std::string>(write_model(result.model));
  return result;
}

Status make_node_model(std::string_view bytes, const std::vector<PlainTensor>& operands, int64_t whole,
                       NodeModel* node) {
  if (Status status = parse_model(bytes, &node->model); !status.ok()) return status;
  Graph& graph = node->model.graph;
  std::unordered_set<std::string> constants;
  for (const ConstantTensor& constant : graph.initializers) constants.insert(constant.name);
  // Not all at once: what reads constants alone is computed while the model is loaded.
  const bool may_fix = std::ranges::any_of(graph.inputs, [&](const DeclaredValue& input) {
    return !constants.contains(input.name) && !is_weight(graph, input);
  });
  std::vector<DeclaredValue> kept;
  size_t next = 0;
  node->has_operands = true;
  for (const DeclaredValue& input : graph.inputs) {
    if (constants.contains(input.name)) continue;
    OrtInput sized;
    size_t elements = 0;
    std::vector<float> values;
    if (Status status = size_of(input, &sized, &elements); !status.ok()) return status;
    if (next < operands.size() && operands[next].elements() == elements) {
      values = operands[next++].values;
    } else {
      node->has_operands = false;
      values = safe_values(sized.element, elements, whole);
    }
    if (may_fix && is_weight(graph, input) && elements <= kMostWeightElements) {
      graph.initializers.push_back(constant_of(sized, values));
    } else {
      kept.push_back(input);
      sized.set_values(values);
      node->inputs.push_back(std::move(sized));
    }
  }
  if (next < operands.size() || operands.empty()) node->has_operands = false;
  graph.inputs = std::move(kept);
  for (const DeclaredValue& output : graph.outputs) node->outputs.push_back(output.name);
  node->has_transpose = std::ranges::any_of(graph.nodes, [](const Node& each) { return each.type == "Transpose"; });
  node->bytes = std::make_shared<const std::string>(write_model(node->model));
  return {};
}

}  // namespace xsp::bound
