#include "bound/joining/onednn_problem.h"

#include <algorithm>

#include "base/number_text.h"
#include "bound/joining/call_node.h"
#include "bound/joining/onednn_post_ops.h"
#include "bound/shapes/operator_call.h"

namespace xsp::bound {
namespace {

using Found = std::optional<Problem>;

/// What it reads and writes, in one tensor or two.
const OnednnTensor* source_of_elements(const OnednnPrimitive& primitive) {
  const OnednnTensor* const source = primitive.tensor("src");
  return source != nullptr ? source : primitive.tensor("data");
}

/// All tensors of the shape, those that are read first.
std::vector<Dimensions> shapes_of(const OnednnPrimitive& primitive) {
  if (!primitive.shape.empty()) return dimensions_of_shapes(primitive.shape);
  std::vector<Dimensions> shapes;
  for (const std::string_view role : {"src", "dst"}) {
    for (const OnednnTensor* tensor : primitive.all_of(role)) {
      if (tensor->sizes) shapes.push_back(*tensor->sizes);
    }
  }
  return shapes;
}

/// Whether a tensor that is written is of the type that is read.
bool has_one_type(const OnednnPrimitive& primitive) {
  const OnednnTensor* const source = source_of_elements(primitive);
  const OnednnTensor* const result = primitive.tensor("dst");
  return source != nullptr && (result == nullptr || result->element == source->element);
}

/// A node that reads one tensor and writes one of the same shape.
std::optional<CallNode> node_of_elements(const OnednnPrimitive& primitive, std::string type, Dimensions* sizes) {
  const auto shapes = shapes_of(primitive);
  const OnednnTensor* const source = source_of_elements(primitive);
  if (shapes.empty() || !has_one_type(primitive) || !primitive.post_ops.empty()) return {};
  *sizes = shapes.front();
  CallNode node(std::move(type));
  node.input(source->element, *sizes).output(source->element, *sizes);
  return node;
}

Found eltwise(const OnednnPrimitive& primitive) {
  const auto shapes = shapes_of(primitive);
  const OnednnTensor* const source = source_of_elements(primitive);
  const auto alpha = number_in<double>(primitive.setting("alpha"));
  const auto beta = number_in<double>(primitive.setting("beta"));
  const auto step = alpha && beta ? elementwise_of_onednn(primitive.setting("alg"), *alpha, *beta)
                                  : elementwise_of_onednn(primitive.setting("alg"));
  if (!step || shapes.empty() || !has_one_type(primitive) || !primitive.post_ops.empty() ||
      source->element == ElementType::kUndefined || !elements_in(shapes.front()))
    return {};
  Problem problem("eltwise");
  problem.set("alg", step->alg).set_dimensions("src", shapes.front());
  problem.set_number("alpha", step->alpha).set_number("beta", step->beta).set("dtype", name_of(source->element));
  return problem;
}

Found elementwise_pair(const OnednnPrimitive& primitive, std::string_view type) {
  const auto sources = primitive.all_of("src");
  const OnednnTensor* const result = primitive.tensor("dst");
  auto shapes = shapes_of(primitive);
  // A sum has the shape of all its operands once.
  if (primitive.kind == "sum" && !primitive.shape.empty() && shapes.size() == 1) shapes.push_back(shapes[0]);
  if (sources.size() != 2 || result == nullptr || shapes.size() < 2 || !primitive.post_ops.empty()) return {};
  Dimensions larger;
  if (!broadcast(shapes[0], shapes[1], &larger)) return {};
  CallNode node{std::string(type)};
  for (size_t i = 0; i < 2; ++i) node.input(sources[i]->element, shapes[i]);
  return node.output(result->element, std::move(larger)).problem();
}

Found binary(const OnednnPrimitive& primitive) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"binary_add", "Add"}, {"binary_mul", "Mul"}, {"binary_max", "Max"},
      {"binary_min", "Min"}, {"binary_div", "Div"}, {"binary_sub", "Sub"},
  };
  const auto* const found =
      std::ranges::find(kTypes, primitive.setting("alg"), &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kTypes) ? std::nullopt : elementwise_pair(primitive, found->second);
}

Found sum(const OnednnPrimitive& primitive) { return elementwise_pair(primitive, "Add"); }

Found softmax(const OnednnPrimitive& primitive) {
  Dimensions sizes;
  const auto axis = number_in<int64_t>(primitive.setting("axis"));
  const bool is_log = primitive.kind == "logsoftmax" || primitive.setting("alg") == "softmax_log";
  auto node = node_of_elements(primitive, is_log ? "LogSoftmax" : "Softmax", &sizes);
  return node && axis ? node->integer("axis", *axis).problem() : std::nullopt;
}

/// G: with statistics that are given, C and H: with factors and addends, S: both in one, R and A: with what follows.
Found batch_normalization(const OnednnPrimitive& primitive) {
  const std::string_view flags = primitive.setting("flags");
  const auto has = [flags](char flag) { return flags.find(flag) != std::string_view::npos; };
  const auto sizes = OnednnSizes::parse(primitive.shape);
  const OnednnTensor* const source = source_of_elements(primitive);
  if (!sizes || !has('G') || !(has('S') || (has('C') && has('H'))) || has('R') || has('A')) return {};
  if (!has_one_type(primitive) || !primitive.post_ops.empty()) return {};
  Dimensions dimensions;
  for (const std::string_view name : {"mb", "ic", "id", "ih", "iw"}) {
    if (const auto size = sizes->of(name)) dimensions.push_back(*size);
  }
  if (dimensions.size() < 2) return {};
  CallNode node("BatchNormalization");
  node.input(source->element, dimensions);
  for (int i = 0; i < 4; ++i) node.input(source->element, {dimensions[1]});
  return node.output(source->element, dimensions).problem();
}

Found layer_normalization(const OnednnPrimitive& primitive) {
  const std::string_view flags = primitive.setting("flags");
  const auto has = [flags](char flag) { return flags.find(flag) != std::string_view::npos; };
  Dimensions sizes;
  auto node = node_of_elements(primitive, "LayerNormalization", &sizes);
  if (!node || has('G') || has('M') || !(has('S') || has('C'))) return {};
  const ElementType element = source_of_elements(primitive)->element;
  node->input(element, {sizes.back()});
  if (has('S') || has('H')) node->input(element, {sizes.back()});
  return node->problem();
}

Found reduction(const OnednnPrimitive& primitive) {
  const auto shapes = shapes_of(primitive);
  if (shapes.size() != 2 || shapes[0].size() != shapes[1].size() || !has_one_type(primitive) ||
      !primitive.post_ops.empty())
    return {};
  const std::string_view algorithm = primitive.setting("alg");
  const std::string_view power = primitive.setting("p");
  struct Type {
    std::string_view algorithm, power, type;
  };
  static constexpr Type kTypes[] = {
      {"reduction_mean", "", "ReduceMean"},      {"reduction_max", "", "ReduceMax"},
      {"reduction_min", "", "ReduceMin"},        {"reduction_sum", "", "ReduceSum"},
      {"reduction_mul", "", "ReduceProd"},       {"reduction_norm_lp_sum", "1", "ReduceL1"},
      {"reduction_norm_lp_sum", "2", "ReduceL2"}};
  const auto* const found = std::ranges::find_if(kTypes, [&](const Type& type) {
    return type.algorithm == algorithm && (type.power.empty() || type.power == power);
  });
  if (found == std::end(kTypes)) return {};
  std::vector<int64_t> axes;
  for (size_t i = 0; i < shapes[0].size(); ++i) {
    if (shapes[1][i] == shapes[0][i]) continue;
    if (shapes[1][i] != 1) return {};
    axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return {};
  const ElementType element = source_of_elements(primitive)->element;
  // The axes are an attribute before version 18, for sums before 13.
  CallNode node{std::string(found->type)};
  return node.input(element, shapes[0]).output(element, shapes[1]).integers("axes", std::move(axes)).problem();
}

Found concatenation(const OnednnPrimitive& primitive) {
  const auto sources = primitive.all_of("src");
  auto shapes = shapes_of(primitive);
  const OnednnTensor* const result = primitive.tensor("dst");
  if (result == nullptr || sources.empty() || shapes.size() < sources.size() || !has_one_type(primitive)) return {};
  Dimensions whole = shapes[0];
  auto axis = number_in<int64_t>(primitive.setting("axis"));
  if (primitive.shape.empty()) {
    // Our own text tells of the first ones only, and of no axis: it is where the result is larger.
    if (shapes.size() != sources.size() + 1 || shapes.back().size() != whole.size()) return {};
    for (size_t i = 0; i < whole.size(); ++i) {
      if (shapes.back()[i] != whole[i]) axis = static_cast<int64_t>(i);
    }
  }
  if (!axis || *axis < 0 || *axis >= static_cast<int64_t>(whole.size())) return {};
  const auto at = static_cast<size_t>(*axis);
  CallNode node("Concat");
  node.integer("axis", *axis);
  whole[at] = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (shapes[i].size() != whole.size() || !elements_in(shapes[i])) return {};
    whole[at] += shapes[i][at];
    node.input(sources[i]->element, shapes[i]);
  }
  if (primitive.shape.empty() && whole != shapes.back()) return {};
  return node.output(result->element, std::move(whole)).problem();
}

/// Places of dimensions in memory; empty for blocked layouts.
std::vector<size_t> order_of(std::string_view tag, size_t rank) {
  std::vector<size_t> order;
  for (const char letter : tag) {
    if (letter < 'a' || letter >= static_cast<char>('a' + rank)) return {};
    order.push_back(static_cast<size_t>(letter - 'a'));
  }
  return order.size() == rank ? order : std::vector<size_t>();
}

/// A change of types or of the order of dimensions. What lies as it did is only copied: no node does that.
Found reorder(const OnednnPrimitive& primitive) {
  const OnednnTensor* const source = primitive.tensor("src");
  const OnednnTensor* const result = primitive.tensor("dst");
  const auto shapes = shapes_of(primitive);
  if (source == nullptr || result == nullptr || shapes.empty() || !primitive.post_ops.empty() || source->tag.empty())
    return {};
  const Dimensions& sizes = shapes.front();
  if (source->tag == result->tag && source->element != result->element) {
    CallNode node("Cast");
    return node.input(source->element, sizes).output(result->element, sizes).problem();
  }
  const auto from = order_of(source->tag, sizes.size()), to = order_of(result->tag, sizes.size());
  if (source->element != result->element || source->tag == result->tag || from.empty() || to.empty()) return {};
  Dimensions lying, written;
  std::vector<int64_t> order;
  for (const size_t dimension : from) lying.push_back(sizes[dimension]);
  for (const size_t dimension : to) {
    written.push_back(sizes[dimension]);
    order.push_back(std::ranges::find(from, dimension) - from.begin());
  }
  CallNode node("Transpose");
  node.input(source->element, std::move(lying)).output(result->element, std::move(written));
  return node.integers("perm", std::move(order)).problem();
}

struct KindRule {
  std::string_view kind;
  Found (*make)(const OnednnPrimitive& primitive);
};
constexpr KindRule kKinds[] = {
    {"batch_normalization", batch_normalization},
    {"binary", binary},
    {"concat", concatenation},
    {"convolution", onednn_convolution},
    {"deconvolution", onednn_deconvolution},
    {"eltwise", eltwise},
    {"inner_product", onednn_inner_product},
    {"layer_normalization", layer_normalization},
    {"logsoftmax", softmax},
    {"matmul", onednn_matmul},
    {"pooling", onednn_pooling},
    {"reduction", reduction},
    {"reorder", reorder},
    {"resampling", onednn_resampling},
    {"softmax", softmax},
    {"sum", sum},
};

}  // namespace

std::optional<Problem> problem_of_onednn(const OnednnPrimitive& primitive) {
  const auto* const rule = std::ranges::find(kKinds, primitive.kind, &KindRule::kind);
  const bool drops = std::ranges::any_of(
      primitive.attributes, [](std::string_view attribute) { return attribute.starts_with("attr-dropout"); });
  if (rule == std::end(kKinds) || !primitive.is_forward() || drops) return {};
  return rule->make(primitive);
}

}  // namespace xsp::bound
