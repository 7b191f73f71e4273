#include "bound/model/layer_class.h"

#include <fmt/format.h>

#include <algorithm>

namespace xsp::bound {
namespace {

struct ClassOfType {
  std::string_view domain;
  std::string_view type;
  LayerClass layer_class;
};

/// All others compute.
constexpr ClassOfType kClasses[] = {
    {"", "Compress", LayerClass::kMovement},
    {"", "Concat", LayerClass::kMovement},
    {"", "Constant", LayerClass::kZero},
    {"", "ConstantOfShape", LayerClass::kMovement},
    {"", "DepthToSpace", LayerClass::kMovement},
    {"", "Expand", LayerClass::kMovement},
    {"", "EyeLike", LayerClass::kMovement},
    {"", "Flatten", LayerClass::kZero},
    {"", "Gather", LayerClass::kMovement},
    {"", "GatherElements", LayerClass::kMovement},
    {"", "GatherND", LayerClass::kMovement},
    {"", "Identity", LayerClass::kZero},
    {"", "If", LayerClass::kControl},
    {"", "Loop", LayerClass::kControl},
    {"", "OneHot", LayerClass::kMovement},
    {"", "Pad", LayerClass::kMovement},
    {"", "Reshape", LayerClass::kZero},
    {"", "ReverseSequence", LayerClass::kMovement},
    {"", "Scan", LayerClass::kControl},
    {"", "Scatter", LayerClass::kMovement},
    {"", "ScatterElements", LayerClass::kMovement},
    {"", "ScatterND", LayerClass::kMovement},
    {"", "Shape", LayerClass::kZero},
    {"", "Size", LayerClass::kZero},
    {"", "Slice", LayerClass::kMovement},
    {"", "SpaceToDepth", LayerClass::kMovement},
    {"", "Split", LayerClass::kMovement},
    {"", "Squeeze", LayerClass::kZero},
    {"", "TensorScatter", LayerClass::kMovement},
    {"", "Tile", LayerClass::kMovement},
    {"", "Transpose", LayerClass::kMovement},
    {"", "Trilu", LayerClass::kMovement},
    {"", "Unsqueeze", LayerClass::kZero},
};

/// By what the node says besides its type.
bool is_zero_by_settings(const NodeView& view) {
  const Node& node = view.node();
  if (view.is("", "Cast") || view.is("", "CastLike")) {
    return view.has_shape(0) && view.output(0) != nullptr && view.input(0)->element == view.output(0)->element;
  }
  if (view.is("", "Dropout")) {
    // Before version 12 it is of inference; since then an input may say that it is not.
    const bool may_train = view.input(2) != nullptr && view.number(2).value_or(1) != 0;
    return !may_train && !view.is_output_used(1);
  }
  return node.outputs.empty();
}

bool is_nearest(const NodeView& view) {
  return (view.is("", "Resize") || view.is("", "Upsample")) && view.node().text("mode", "nearest") == "nearest";
}

/// The first value without a shape tells why.
std::string missing_shape(const NodeView& view) {
  for (const bool is_input : {true, false}) {
    const size_t count = is_input ? view.inputs() : view.outputs();
    for (size_t i = 0; i < count; ++i) {
      const ValueFacts* facts = is_input ? view.input(i) : view.output(i);
      if (facts == nullptr || facts->has_shape || (!is_input && !view.is_output_used(i) && i > 0)) continue;
      if (!facts->why.empty()) return facts->why;
      return fmt::format("the shape of {} is unknown", is_input ? view.node().inputs[i] : view.node().outputs[i]);
    }
  }
  return "";
}

bool is_computed_before(const NodeView& view) {
  bool has_output = false;
  for (size_t i = 0; i < view.outputs(); ++i) {
    if (view.output(i) == nullptr) continue;
    has_output = true;
    if (!view.output(i)->is_constant) return false;
  }
  return has_output;
}

}  // namespace

ClassFinding classify(const NodeView& view) {
  const auto* const known = std::ranges::find_if(
      kClasses, [&view](const ClassOfType& of_type) { return view.is(of_type.domain, of_type.type); });
  const LayerClass usual = known == std::end(kClasses) ? LayerClass::kCompute : known->layer_class;
  if (is_computed_before(view) || usual == LayerClass::kZero || is_zero_by_settings(view))
    return {LayerClass::kZero, ""};
  if (usual == LayerClass::kControl)
    return {usual, fmt::format("{} runs graphs of its own, which are not taken apart", view.type())};
  if (std::string why = missing_shape(view); !why.empty()) return {LayerClass::kUnknown, std::move(why)};
  return {is_nearest(view) ? LayerClass::kMovement : usual, ""};
}

bool has_all_shapes(const NodeView& view) { return missing_shape(view).empty(); }

}  // namespace xsp::bound
