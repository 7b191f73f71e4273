#include "bound/problems/plain_values.h"

#include <algorithm>
#include <cmath>

#include "bound/problems/operand_shapes.h"
#include "bound/problems/post_steps.h"
#include "bound/problems/reference.h"

namespace xsp::bound {
namespace {

/// Largest relative error of one rounding, and whether results come from more than one operation on single elements.
double rounding_of(std::string_view element) {
  constexpr std::pair<std::string_view, double> kRoundings[] = {
      {"f16", 0x1p-11}, {"bf16", 0x1p-8}, {"tf32", 0x1p-11}, {"f8e4m3", 0x1p-4}, {"f8e5m2", 0x1p-3}};
  const auto* const found = std::ranges::find(kRoundings, element, &std::pair<std::string_view, double>::first);
  return found == std::end(kRoundings) ? 0x1p-24 : found->second;
}

/// How a kind is computed, and how many roundings of f32 its results may be off.
struct KindReference {
  std::string_view kind;
  ReferenceValue (*make)(const ReferenceInput& input);
  double roundings;
};
// Functions are approximated, and a quotient by a root is more than one rounding.
constexpr KindReference kKindReferences[] = {
    {"conv", convolution_reference, 256},       {"deconv", transposed_convolution_reference, 256},
    {"matmul", product_reference, 64},          {"maxpool", max_pooling_reference, 1},
    {"avgpool", average_pooling_reference, 64}, {"eltwise", elementwise_reference, 256},
    {"binary", binary_reference, 256},          {"softmax", softmax_reference, 256},
    {"batchnorm", batch_norm_reference, 512},   {"layernorm", layer_norm_reference, 512},
    {"lrn", response_norm_reference, 512},      {"reduce", reduction_reference, 256},
    {"concat", concatenation_reference, 0},     {"transpose", transposition_reference, 0},
    {"resize", resizing_reference, 256},        {"cast", cast_reference, 1},
    {"addnorm", added_norm_reference, 512},     {"sdpa", attention_reference, 512},
};

const KindReference* reference_of(std::string_view kind) {
  const auto* const found = std::ranges::find(kKindReferences, kind, &KindReference::kind);
  return found == std::end(kKindReferences) ? nullptr : found;
}

bool match(const std::vector<OperandShape>& shapes, const std::vector<PlainTensor>& operands) {
  return std::ranges::equal(shapes, operands, [](const OperandShape& shape, const PlainTensor& operand) {
    return shape.name == operand.name && shape.dimensions == operand.dimensions &&
           std::cmp_equal(operand.elements(), elements_in(shape.dimensions).value_or(-1));
  });
}

/// The steps behind the operator itself, on the element at `position`.
class PostReference {
 public:
  PostReference(const Problem& problem, const std::vector<PlainTensor>& operands)
      : steps_(post_steps(problem.field("post"))) {
    size_t adds = 0;
    for (const PostStep& step : steps_) adds += step.is_add() ? 1 : 0;
    for (const PostStep& step : steps_) {
      if (step.is_add()) {
        algorithms_.push_back(nullptr);
        added_.push_back(&operands[operands.size() - adds--]);
      } else {
        algorithms_.push_back(elementwise_algorithm(step.alg));
        added_.push_back(nullptr);
        is_known_ = is_known_ && algorithms_.back() != nullptr;
      }
    }
  }

  bool is_known() const { return is_known_; }

  double value(double value, size_t position) const {
    for (size_t i = 0; i < steps_.size(); ++i) {
      value = added_[i] != nullptr ? value + static_cast<double>(added_[i]->values[position])
                                   : algorithms_[i]->value(value, steps_[i].alpha, steps_[i].beta);
    }
    return value;
  }

 private:
  std::vector<PostStep> steps_;
  std::vector<const ElementwiseAlgorithm*> algorithms_;
  std::vector<const PlainTensor*> added_;
  bool is_known_ = true;
};

std::string destination_of(const Problem& problem) {
  return problem.kind() == "cast" ? std::string(problem.field("to")) : problem.types().destination;
}

/// Number of products, or of values, that one element of the result is the sum of.
double summed(const Problem& problem) {
  const Dimensions weight = problem.dimensions("wei");
  if (problem.kind() == "matmul") return static_cast<double>(product_form(problem).value_or(ProductForm()).depth);
  const auto outputs = weight.empty() || weight[0] == 0 ? 1.0 : static_cast<double>(weight[0]);
  if (!weight.empty()) return static_cast<double>(elements_in(weight).value_or(1)) / outputs;
  const double from = static_cast<double>(elements_in(problem.dimensions("src")).value_or(1));
  if (problem.kind() != "reduce") return 1;
  return from / std::max(1.0, static_cast<double>(elements_in(result_dimensions(problem)).value_or(1)));
}

/// Whether whole operands make whole results. A blend of two bytes, or a function's value halfway between two, may be
/// rounded either way.
bool has_whole_results(const Problem& problem) {
  constexpr std::string_view kBlends[] = {"resize", "avgpool"};
  constexpr std::string_view kWholeFunctions[] = {"add",    "relu",  "clip",  "abs", "neg",
                                                  "square", "round", "floor", "ceil"};
  const auto is_whole_function = [&](std::string_view alg) {
    return std::ranges::find(kWholeFunctions, alg) != std::end(kWholeFunctions);
  };
  if (std::ranges::find(kBlends, problem.kind()) != std::end(kBlends)) return false;
  if (problem.kind() == "eltwise") return is_whole_function(problem.field("alg"));
  if (problem.number("alpha", 1) != 1 || problem.number("beta", 1) != 1) return false;
  return std::ranges::all_of(post_steps(problem.field("post")),
                             [&](const PostStep& step) { return is_whole_function(step.alg); });
}

}  // namespace

const PlainTensor* ReferenceInput::named(std::string_view name) const {
  const auto found = std::ranges::find(operands, name, &PlainTensor::name);
  return found == operands.end() ? nullptr : &*found;
}

std::vector<double> reference_values(const Problem& problem, const std::vector<PlainTensor>& operands,
                                     const std::vector<size_t>& positions) {
  const KindReference* kind = reference_of(problem.kind());
  const auto result = checked_result_dimensions(problem);
  if (kind == nullptr || !result || !match(operand_shapes(problem), operands)) return {};
  const PostReference post(problem, operands);
  const ReferenceValue reference = kind->make({problem, operands, *result});
  if (!post.is_known() || !reference) return {};

  const std::string destination = destination_of(problem);
  const WholeLimits limits = whole_limits(destination);
  const auto elements = static_cast<size_t>(elements_in(*result).value_or(0));
  std::vector<double> values;
  values.reserve(positions.size());
  for (const size_t position : positions) {
    if (position >= elements) return {};
    double value = post.value(reference(position), position);
    if (is_whole(destination)) value = std::clamp(std::nearbyint(value), limits.least, limits.largest);
    values.push_back(value);
  }
  return values;
}

Tolerance tolerance_of(const Problem& problem) {
  const KindReference* kind = reference_of(problem.kind());
  const std::string destination = destination_of(problem);
  const double roundings = kind == nullptr ? 512 : kind->roundings;
  if (is_whole(destination)) {
    return {has_whole_results(problem) ? 0.0 : 1.0, 0};
  }
  const double narrow = rounding_of(destination);
  // Winograd and other orders of summation err with the root of the length; results are roughly that large, too.
  const double length = std::sqrt(std::max(1.0, summed(problem)));
  const double few = std::min(roundings, 8.0);
  const double relative = std::max(roundings * 0x1p-24, narrow > 0x1p-20 ? few * narrow : 0);
  return {relative * length, relative};
}

}  // namespace xsp::bound
