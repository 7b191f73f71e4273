#include "bound/model/attribute_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "bound/model/short_text.h"
#include "bound/problems/problem.h"

namespace xsp::bound {
namespace {

struct DefaultOfType {
  std::string_view type;
  std::string_view name;
  std::string_view text;
};

/// Of ONNX's own operators; those that changed from version to version are left out.
constexpr DefaultOfType kDefaults[] = {
    {"ArgMax", "axis", "0"},
    {"ArgMax", "keepdims", "1"},
    {"ArgMax", "select_last_index", "0"},
    {"ArgMin", "axis", "0"},
    {"ArgMin", "keepdims", "1"},
    {"ArgMin", "select_last_index", "0"},
    {"CumSum", "exclusive", "0"},
    {"CumSum", "reverse", "0"},
    {"DepthToSpace", "mode", "DCR"},
    {"EyeLike", "k", "0"},
    {"GRU", "direction", "forward"},
    {"GRU", "layout", "0"},
    {"GRU", "linear_before_reset", "0"},
    {"Gather", "axis", "0"},
    {"GatherElements", "axis", "0"},
    {"GatherND", "batch_dims", "0"},
    {"InstanceNormalization", "epsilon", "1e-05"},
    {"LSTM", "direction", "forward"},
    {"LSTM", "input_forget", "0"},
    {"LSTM", "layout", "0"},
    {"LpNormalization", "axis", "-1"},
    {"LpNormalization", "p", "2"},
    {"Mod", "fmod", "0"},
    {"NonMaxSuppression", "center_point_box", "0"},
    {"OneHot", "axis", "-1"},
    {"Pad", "mode", "constant"},
    {"RNN", "direction", "forward"},
    {"RNN", "layout", "0"},
    {"ReverseSequence", "batch_axis", "1"},
    {"ReverseSequence", "time_axis", "0"},
    {"Scatter", "axis", "0"},
    {"ScatterElements", "axis", "0"},
    {"ScatterElements", "reduction", "none"},
    {"ScatterND", "reduction", "none"},
    {"Split", "axis", "0"},
    {"TopK", "axis", "-1"},
    {"TopK", "largest", "1"},
    {"TopK", "sorted", "1"},
    {"Trilu", "upper", "1"},
    {"Unique", "sorted", "1"},
};

/// What no other node of the model is called.
std::string text_of_node(const Node& node) {
  const auto named = std::ranges::find_if(node.outputs, [](const std::string& output) { return !output.empty(); });
  return shortened(fmt::format("@{}:{}", node.name, named == node.outputs.end() ? "" : *named));
}

std::string tensor_text(const ConstantTensor& tensor, const Node& node) {
  const std::string shape =
      shortened(fmt::format("{}[{}]", name_of(tensor.element), fmt::join(tensor.dimensions, ",")));
  if (!tensor.has_values) return shape + text_of_node(node);
  Fingerprint sum;
  for (const int64_t value : tensor.integers) sum.add(static_cast<uint64_t>(value));
  for (const double value : tensor.numbers) sum.add(std::bit_cast<uint64_t>(value));
  return fmt::format("{}:{}", shape, sum.text());
}

/// Nothing for what has no value.
std::optional<std::string> attribute_text(const Attribute& attribute, const NodeView& view) {
  using Kind = Attribute::Kind;
  switch (attribute.kind) {
    case Kind::kNone:
      return {};
    case Kind::kNumber:
      return number_text(attribute.number);
    case Kind::kInteger:
      return fmt::format("{}", attribute.integer);
    case Kind::kText:
      return shortened(attribute.text);
    case Kind::kNumbers:
      return shortened(joined_numbers(attribute.numbers));
    case Kind::kIntegers:
      return shortened(fmt::format("{}", fmt::join(attribute.integers, ",")));
    case Kind::kTexts:
      return shortened(fmt::format("{}", fmt::join(attribute.texts, ",")));
    case Kind::kTensor:
    case Kind::kGraph:
    case Kind::kOther:
      break;
  }
  if (view.is("", "Constant")) return {};
  return attribute.tensors.empty() ? text_of_node(view.node()) : tensor_text(attribute.tensors[0], view.node());
}

}  // namespace

std::string joined_numbers(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) {
    if (!text.empty()) text += ',';
    text += number_text(number);
  }
  return text;
}

std::map<std::string, std::string> attribute_texts(const NodeView& view) {
  std::map<std::string, std::string> texts;
  if (view.node().domain.empty()) {
    for (const DefaultOfType& usual : kDefaults) {
      if (usual.type == view.node().type) texts.emplace(usual.name, usual.text);
    }
  }
  for (const Attribute& attribute : view.node().attributes) {
    if (auto text = attribute_text(attribute, view)) texts.insert_or_assign(attribute.name, *std::move(text));
  }
  return texts;
}

}  // namespace xsp::bound
