#include <algorithm>
#include <cmath>
#include <numeric>

#include "bound/model/node_problem.h"
#include "bound/shapes/operator_call.h"

namespace xsp::bound {
namespace {

using Made = std::optional<NodeProblem>;

/// Lists of operands that are longer have no back end but the framework's own, whose problem is cut.
constexpr size_t kMostSources = 4096;

Made concatenation(const NodeView& view, std::string_view) {
  std::vector<size_t> operands(view.inputs());
  std::iota(operands.begin(), operands.end(), size_t{0});
  if (operands.empty() || !view.have_one_type(operands)) return {};
  int64_t axis = view.node().integer("axis", 1);
  if (!normalize_axis(static_cast<int64_t>(view.input(0)->dimensions.size()), &axis)) return {};
  std::string sources;
  for (size_t i = 0; i < view.inputs(); ++i) {
    if (i > 0) sources += ',';
    sources += Problem("").set_dimensions("src", view.input(i)->dimensions).field("src");
    if (sources.size() > kMostSources) return {};
  }
  NodeProblem made{Problem("concat"), std::move(operands)};
  made.problem.set_integer("axis", axis).set("srcs", sources).set("dtype", name_of(view.output(0)->element));
  return made;
}

Made transposition(const NodeView& view, std::string_view) {
  if (!view.have_one_type({0})) return {};
  const Dimensions& source = view.input(0)->dimensions;
  Dimensions order = view.node().integers("perm");
  if (order.empty()) {
    order.resize(source.size());
    std::iota(order.rbegin(), order.rend(), int64_t{0});
  }
  NodeProblem made{Problem("transpose"), {0}};
  made.problem.set_dimensions("src", source).set_list("perm", order).set("dtype", name_of(view.input(0)->element));
  return made;
}

Made conversion(const NodeView& view, std::string_view) {
  if (!view.has_shape(0) || view.output(0) == nullptr) return {};
  NodeProblem made{Problem("cast"), {0}};
  made.problem.set_dimensions("src", view.input(0)->dimensions).set("from", name_of(view.input(0)->element));
  made.problem.set("to", name_of(view.output(0)->element));
  return made;
}

/// Which point of the source belongs to one of the result.
struct ResizeForm {
  std::string mode = "nearest";
  std::string coordinates = "half_pixel";
  std::string rounding = "round_prefer_floor";
};

/// Nothing for what the published schema has besides: cubic, cropping, antialiasing.
std::optional<ResizeForm> resize_form(const NodeView& view) {
  const Node& node = view.node();
  ResizeForm form;
  form.mode = node.text("mode", "nearest");
  if (form.mode == "bilinear") form.mode = "linear";
  if (form.mode != "nearest" && form.mode != "linear") return {};
  if (node.type == "Upsample" || view.opset() < 11) {
    form.coordinates = "asymmetric";
    form.rounding = "floor";
    return form;
  }
  form.coordinates = node.text("coordinate_transformation_mode", "half_pixel");
  form.rounding = node.text("nearest_mode", "round_prefer_floor");
  const bool is_unusual = node.integer("antialias", 0) != 0 || form.coordinates == "tf_crop_and_resize" ||
                          form.coordinates == "tf_half_pixel_for_nn" ||
                          node.text("keep_aspect_ratio_policy", "stretch") != "stretch";
  return is_unusual ? std::nullopt : std::optional(form);
}

/// Whether each size of the result is a multiple of the source's.
bool is_integer_upscaling(const Dimensions& source, const Dimensions& result) {
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] < 1 || result[i] % source[i] != 0) return false;
  }
  return true;
}

/// Scales that give a size by rounding are not the ratio of the sizes, from which a problem is computed.
bool are_scales_exact(const NodeView& view, const Dimensions& source, const Dimensions& result) {
  const bool is_old = view.node().type == "Upsample" || view.opset() < 11;
  const ValueFacts* given = view.input(is_old ? 1 : 2);
  std::vector<double> scales;
  if (given != nullptr) {
    if (given->has_shape && given->elements() == 0) return true;  // sizes instead
    if (!given->numbers) return false;
    scales = *given->numbers;
  } else if (const Attribute* attribute = view.node().attribute("scales")) {
    scales = attribute->numbers;
  } else {
    return true;
  }
  // With the attribute `axes` the scales are those of some dimensions.
  if (scales.size() != source.size()) return false;
  for (size_t i = 0; i < source.size(); ++i) {
    if (std::abs(static_cast<double>(source[i]) * scales[i] - static_cast<double>(result[i])) > 1e-4) return false;
  }
  return true;
}

/// Which field `mode` says the same; nothing where none does.
std::optional<std::string> mode_field(const ResizeForm& form, const Dimensions& source, const Dimensions& result) {
  std::string coordinates = form.coordinates;
  bool has_single = false;  // a dimension that is made one element large, which half_pixel's relatives treat apart
  for (size_t i = 0; i < source.size(); ++i) has_single |= result[i] == 1 && source[i] != 1;
  if (coordinates == "half_pixel_symmetric" || (coordinates == "pytorch_half_pixel" && !has_single))
    coordinates = "half_pixel";
  if (form.mode == "linear") {
    if (coordinates == "half_pixel") return "";
    if (coordinates == "asymmetric" || coordinates == "align_corners") return coordinates;
    return {};
  }
  const bool rounds = form.rounding == "round_prefer_floor" || form.rounding == "round_prefer_ceil";
  if (is_integer_upscaling(source, result) &&
      ((coordinates == "half_pixel" && rounds) || (coordinates == "asymmetric" && form.rounding == "floor")))
    return "";
  if (coordinates == "half_pixel" && form.rounding == "round_prefer_floor") return "";
  if (coordinates == "asymmetric" && form.rounding == "floor") return "asymmetric";
  return {};
}

Made resizing(const NodeView& view, std::string_view) {
  const auto form = resize_form(view);
  if (!form || !view.have_one_type({0})) return {};
  const Dimensions& source = view.input(0)->dimensions;
  const Dimensions& result = view.output(0)->dimensions;
  if (source.size() != result.size() || !are_scales_exact(view, source, result)) return {};
  if (form->mode == "linear" && !is_floating(view.input(0)->element)) return {};
  const auto mode = mode_field(*form, source, result);
  if (!mode) return {};
  NodeProblem made{Problem("resize"), {0}};
  made.problem.set("alg", form->mode).set_dimensions("src", source).set_dimensions("dst", result);
  if (!mode->empty()) made.problem.set("mode", *mode);
  made.problem.set("dtype", name_of(view.input(0)->element));
  return made;
}

constexpr ProblemRule kMovementProblems[] = {
    {"", "Cast", conversion},         {"", "Concat", concatenation}, {"", "Resize", resizing},
    {"", "Transpose", transposition}, {"", "Upsample", resizing},
};

}  // namespace

std::span<const ProblemRule> movement_problems() { return kMovementProblems; }

}  // namespace xsp::bound
