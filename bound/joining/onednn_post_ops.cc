#include "bound/joining/onednn_post_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text.h"

namespace xsp::bound {
namespace {

constexpr std::string_view kEltwise = "eltwise_";

/// What oneDNN calls a function that needs no numbers, or has one of ours for them.
struct FunctionName {
  std::string_view onednn;
  std::string_view alg;
};
constexpr FunctionName kEltwiseNames[] = {
    {"tanh", "tanh"},
    {"elu", "elu"},
    {"square", "square"},
    {"abs", "abs"},
    {"sqrt", "sqrt"},
    {"logistic", "sigmoid"},
    {"exp", "exp"},
    {"gelu_tanh", "gelu_tanh"},
    {"gelu", "gelu_tanh"},
    {"gelu_erf", "gelu_erf"},
    {"swish", "silu"},
    {"log", "log"},
    {"clip", "clip"},
    {"clip_v2", "clip"},
    {"hardsigmoid", "hardsigmoid"},
    {"hardswish", "hardswish"},
    {"soft_relu", "softplus"},
    {"round", "round"},
    {"mish", "mish"},
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Texts have six digits.
bool is_near(double value, double other) { return std::abs(value - other) <= 1e-5 * std::abs(other); }

/// A bound that is the largest f32 bounds nothing; sixths are those of f32.
double exact(double value) {
  constexpr double kLargest = 3.4028e38;
  constexpr double kSixth = 1.0F / 6;
  if (std::abs(value) >= kLargest) return value < 0 ? -kInfinity : kInfinity;
  return is_near(value, kSixth) ? kSixth : value;
}

PostStep step_of(std::string_view alg, double alpha, double beta) {
  const ElementwiseAlgorithm* const known = elementwise_algorithm(alg);
  PostStep step{std::string(alg)};
  step.arguments = known == nullptr ? 0 : known->arguments;
  if (step.arguments > 0) step.alpha = exact(alpha);
  if (step.arguments > 1) step.beta = exact(beta);
  return step;
}

std::optional<PostStep> power(double alpha, double beta) {
  if (alpha != 1) return {};
  if (beta == -1) return step_of("reciprocal", 0, 0);
  if (beta == 0.5) return step_of("sqrt", 0, 0);
  return beta == 2 ? std::optional(step_of("square", 0, 0)) : std::nullopt;
}

/// The numbers behind the name of a post-op: "eltwise_clip:0:6".
std::optional<double> number_at(const std::vector<std::string_view>& parts, size_t index, double otherwise) {
  return index < parts.size() ? number_in<double>(parts[index]) : std::optional(otherwise);
}

class Reading {
 public:
  Reading(bool is_product, bool has_numbers, size_t rank)
      : is_product_(is_product), has_numbers_(has_numbers), rank_(rank) {}

  bool add(std::string_view post_op) {
    const std::vector<std::string_view> parts = parts_of(post_op, ':');
    if (parts[0].starts_with(kEltwise) && has_numbers_) return add_function(parts);
    if (parts[0] == "sum") {
      if (number_at(parts, 1, 1) != 1.0 || number_at(parts, 2, 0) != 0.0) return false;
      return append("add");
    }
    return parts[0] == "binary_add" && has_numbers_ && add_tensor(parts);
  }

  OnednnPostOps take() { return std::move(read_); }

 private:
  bool add_function(const std::vector<std::string_view>& parts) {
    const auto alpha = number_at(parts, 1, 0), beta = number_at(parts, 2, 0), scale = number_at(parts, 3, 1);
    if (!alpha || !beta || scale != 1.0 || parts.size() > 4) return false;
    if (parts[0] == "eltwise_linear" && is_product_ && read_.post.empty() && !read_.adds_row && *beta == 0) {
      read_.factor *= *alpha;
      return true;
    }
    const auto step = elementwise_of_onednn(parts[0], *alpha, *beta);
    return step && append(text_of(*step));
  }

  /// "binary_add:f32:3": the mask of dimensions in which the tensor is as large as the result.
  bool add_tensor(const std::vector<std::string_view>& parts) {
    const auto mask = parts.size() > 2 ? number_in<int64_t>(parts[2]) : std::nullopt;
    if (!mask || rank_ == 0 || rank_ > kMostRank) return false;
    if (*mask == (int64_t{1} << rank_) - 1) return append("add");
    if (!is_product_ || *mask != int64_t{1} << (rank_ - 1) || !read_.post.empty() || read_.adds_row) return false;
    read_.adds_row = true;
    return true;
  }

  bool append(std::string_view step) {
    if (!read_.post.empty()) read_.post += '+';
    read_.post += step;
    return true;
  }

  bool is_product_;
  bool has_numbers_;
  size_t rank_;
  OnednnPostOps read_;
};

}  // namespace

std::optional<PostStep> elementwise_of_onednn(std::string_view algorithm, double alpha, double beta) {
  if (!algorithm.starts_with(kEltwise)) return {};
  algorithm.remove_prefix(kEltwise.size());
  if (algorithm == "relu") return alpha == 0 ? step_of("relu", 0, 0) : step_of("leaky_relu", alpha, 0);
  if (algorithm == "pow") return power(alpha, beta);
  if (algorithm == "linear") return alpha == -1 && beta == 0 ? std::optional(step_of("neg", 0, 0)) : std::nullopt;
  if (algorithm == "bounded_relu") return step_of("clip", 0, alpha);
  // Version 2 has it without numbers.
  if (algorithm == "hardswish" && alpha != 0 && !(is_near(alpha, 1.0 / 6) && beta == 0.5)) return {};
  if (algorithm == "soft_relu" && alpha != 0 && alpha != 1) return {};
  const auto* const found = std::ranges::find(kEltwiseNames, algorithm, &FunctionName::onednn);
  if (found == std::end(kEltwiseNames)) return {};
  PostStep step = step_of(found->alg, alpha, beta);
  if (step.alg == "clip" && step.alpha == 0 && step.beta == kInfinity) return step_of("relu", 0, 0);
  return step;
}

std::optional<PostStep> elementwise_of_onednn(std::string_view algorithm) {
  static constexpr std::string_view kWithoutNumbers[] = {"tanh",     "square", "abs", "sqrt",  "logistic",
                                                         "gelu_erf", "exp",    "log", "round", "gelu_tanh"};
  if (!algorithm.starts_with(kEltwise)) return {};
  const bool is_known =
      std::ranges::find(kWithoutNumbers, algorithm.substr(kEltwise.size())) != std::end(kWithoutNumbers);
  return is_known ? elementwise_of_onednn(algorithm, 0, 0) : std::nullopt;
}

std::optional<OnednnPostOps> post_ops_of(const OnednnPrimitive& primitive, size_t rank) {
  const bool is_product = primitive.kind == "matmul" || primitive.kind == "inner_product";
  Reading reading(is_product, !primitive.shape.empty(), rank);
  for (const std::string_view post_op : primitive.post_ops) {
    if (!reading.add(post_op)) return {};
  }
  return reading.take();
}

}  // namespace xsp::bound
