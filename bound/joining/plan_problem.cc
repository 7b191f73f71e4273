#include <algorithm>

#include "base/number_text.h"
#include "bound/joining/call_node.h"
#include "bound/joining/cudnn_problem.h"
#include "bound/joining/onednn_text.h"
#include "bound/joining/product_problem.h"

namespace xsp::bound {
namespace {

using analysis::ExecutionPlan;
using Operation = ExecutionPlan::Operation;
using PlanTensor = ExecutionPlan::Tensor;

ElementType element_of(const PlanTensor& tensor) { return element_of_library(tensor.type); }

const PlanTensor* tensor_in(const ExecutionPlan& plan, const Operation& operation, std::string_view role) {
  const auto index = operation.tensor(role);
  return index ? &plan.tensors[*index] : nullptr;
}

std::string_view setting_of(const Operation& operation, std::string_view name) {
  const auto found = std::ranges::find(operation.settings, name, &std::pair<std::string, std::string>::first);
  return found == operation.settings.end() ? std::string_view() : std::string_view(found->second);
}

/// "[1,1]".
Dimensions numbers_in(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return {};
  Dimensions numbers;
  for (const std::string_view part : parts_of(text.substr(1, text.size() - 2), ',')) {
    const auto number = number_in<int64_t>(part);
    if (!number || numbers.size() == kMostRank) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

/// "nhwc" where the channels lie last, "nchw" where the last dimension does; else nothing.
std::string layout_of(const PlanTensor& tensor) {
  const size_t rank = tensor.dimensions.size();
  if (rank < 3 || rank > 5 || tensor.strides.size() != rank) return "";
  static constexpr std::string_view kFirst[] = {"ncw", "nchw", "ncdhw"};
  static constexpr std::string_view kLast[] = {"nwc", "nhwc", "ndhwc"};
  const bool is_last = tensor.strides[1] == 1 && (tensor.dimensions[1] > 1 || tensor.strides[rank - 1] != 1);
  return std::string(is_last ? kLast[rank - 3] : tensor.strides[rank - 1] == 1 ? kFirst[rank - 3] : "");
}

struct PointwiseName {
  std::string_view mode;
  std::string_view alg;
};
constexpr PointwiseName kPointwiseNames[] = {
    {"RELU_FWD", "relu"},     {"TANH_FWD", "tanh"}, {"SIGMOID_FWD", "sigmoid"},
    {"GELU_FWD", "gelu_erf"}, {"EXP", "exp"},       {"GELU_APPROX_TANH_FWD", "gelu_tanh"},
    {"LOG", "log"},           {"SQRT", "sqrt"},     {"ABS", "abs"},
    {"NEG", "neg"},           {"ERF", "erf"},       {"RECIPROCAL", "reciprocal"},
    {"SIN", "sin"},           {"COS", "cos"},       {"FLOOR", "floor"},
    {"CEIL", "ceil"},
};

/// A function of one tensor; nothing where its bounds or slopes are not the usual ones.
std::optional<std::string> function_of(const Operation& operation) {
  const auto* const found = std::ranges::find(kPointwiseNames, operation.mode, &PointwiseName::mode);
  if (found == std::end(kPointwiseNames)) return {};
  if (found->alg != "relu") return std::string(found->alg);
  if (!setting_of(operation, "lowerClip").empty() || !setting_of(operation, "lowerClipSlope").empty()) return {};
  const std::string_view upper = setting_of(operation, "upperClip");
  if (upper.empty()) return "relu";
  const auto bound = number_in<double>(upper);
  if (!bound) return {};
  return *bound >= 3.4e38 ? "relu" : "clip(0," + number_text(*bound) + ")";
}

/// A convolution or product and what follows it.
class Chain {
 public:
  Chain(const ExecutionPlan& plan, size_t result, Dimensions bias)
      : plan_(plan), value_(result), bias_(std::move(bias)) {}

  /// `operation` reads what was computed last, and nothing else that is computed.
  bool add(const Operation& operation) {
    const auto x = operation.tensor("X"), y = operation.tensor("Y");
    if (operation.kind != "pointwise" || !x || !y) return false;
    const auto b = operation.tensor("B");
    if (operation.mode == "ADD" && b && (*x == value_ || *b == value_)) {
      if (!add_tensor(plan_.tensors[*x == value_ ? *b : *x])) return false;
    } else if (*x == value_ && !b && operation.mode == "IDENTITY") {
      // A change of type.
    } else {
      const auto function = *x == value_ && !b ? function_of(operation) : std::nullopt;
      if (!function) return false;
      append(*function);
    }
    value_ = *y;
    return true;
  }

  size_t value() const { return value_; }
  bool has_bias() const { return has_bias_; }
  const std::string& post() const { return post_; }

 private:
  bool add_tensor(const PlanTensor& tensor) {
    if (tensor.is_virtual) return false;
    if (tensor.dimensions == plan_.tensors[value_].dimensions) {
      append("add");
    } else if (tensor.dimensions == bias_ && post_.empty() && !has_bias_) {
      has_bias_ = true;
    } else {
      return false;
    }
    return true;
  }

  void append(std::string_view step) {
    if (!post_.empty()) post_ += '+';
    post_ += step;
  }

  const ExecutionPlan& plan_;
  size_t value_;
  Dimensions bias_;  // its dimensions
  bool has_bias_ = false;
  std::string post_;
};

/// All operations behind the first one; nothing where one of them has no word in problems.
std::optional<Chain> chain_behind(const ExecutionPlan& plan, size_t result, Dimensions bias) {
  Chain chain(plan, result, std::move(bias));
  for (size_t i = 1; i < plan.operations.size(); ++i) {
    if (!chain.add(plan.operations[i])) return {};
  }
  return chain;
}

std::optional<Problem> convolution(const ExecutionPlan& plan, const PlanTensor& x, const PlanTensor& w, size_t y) {
  const Operation& operation = plan.operations.front();
  if (x.dimensions.size() < 3 || w.dimensions.size() != x.dimensions.size() || w.dimensions[1] < 1 ||
      x.dimensions[1] % w.dimensions[1] != 0)
    return {};
  Dimensions bias(x.dimensions.size(), 1);
  bias[1] = w.dimensions[0];
  const auto chain = chain_behind(plan, y, std::move(bias));
  // Paddings behind that differ have a name of their own.
  const auto is_other_padding = [](const auto& setting) {
    return setting.first != "pad" && setting.first.find("ad") != std::string::npos;
  };
  if (!chain || !operation.mode.empty() || std::ranges::any_of(operation.settings, is_other_padding)) return {};
  const PlanTensor& result = plan.tensors[chain->value()];
  Dimensions pads = numbers_in(setting_of(operation, "pad"));
  pads.reserve(2 * pads.size());
  pads.insert(pads.end(), pads.begin(), pads.end());
  CallNode node("Conv");
  node.input(element_of(x), x.dimensions).input(element_of(w), w.dimensions);
  if (chain->has_bias()) node.input(element_of(w), {w.dimensions[0]});
  node.output(element_of(result), result.dimensions).integer("group", x.dimensions[1] / w.dimensions[1]);
  node.integers("strides", numbers_in(setting_of(operation, "stride"))).integers("pads", std::move(pads));
  node.integers("dilations", numbers_in(setting_of(operation, "dilation")));
  auto problem = node.problem();
  if (problem) problem->set("post", chain->post());
  return problem;
}

/// Whether the last dimension but one is the one whose neighbours lie together.
StoredMatrix stored(const PlanTensor& tensor) {
  StoredMatrix matrix{element_of(tensor), tensor.dimensions, false};
  const size_t rank = tensor.dimensions.size();
  if (rank < 2 || tensor.strides.size() != rank) return matrix;
  matrix.is_transposed = tensor.strides[rank - 2] == 1 && tensor.strides[rank - 1] != 1;
  if (matrix.is_transposed) std::swap(matrix.sizes[rank - 1], matrix.sizes[rank - 2]);
  return matrix;
}

std::optional<Problem> product(const ExecutionPlan& plan, const PlanTensor& a, const PlanTensor& b, size_t c) {
  const size_t rank = plan.tensors[c].dimensions.size();
  if (rank < 2 || a.dimensions.size() < 2 || b.dimensions.size() < 2) return {};
  Dimensions bias(rank, 1);
  bias.back() = plan.tensors[c].dimensions.back();
  const auto chain = chain_behind(plan, c, std::move(bias));
  if (!chain) return {};
  return problem_of_product({.left = stored(a),
                             .right = stored(b),
                             .result = element_of(plan.tensors[chain->value()]),
                             .adds_row = chain->has_bias(),
                             .post = chain->post()});
}

std::string layouts(std::initializer_list<const PlanTensor*> tensors) {
  std::string text;
  for (const PlanTensor* tensor : tensors) {
    const std::string layout = layout_of(*tensor);
    if (layout.empty()) return "";
    if (!text.empty()) text += ':';
    text += layout;
  }
  return text;
}

}  // namespace

CudnnProblem problem_of_plan(const ExecutionPlan& plan) {
  if (plan.operations.empty()) return {};
  const Operation& first = plan.operations.front();
  if (first.kind == "convolution_forward") {
    const PlanTensor* const x = tensor_in(plan, first, "X");
    const PlanTensor* const w = tensor_in(plan, first, "W");
    const auto y = first.tensor("Y");
    if (x == nullptr || w == nullptr || !y) return {};
    return {convolution(plan, *x, *w, *y), layouts({x, w, &plan.tensors[*y]})};
  }
  if (first.kind == "matmul") {
    const PlanTensor* const a = tensor_in(plan, first, "A");
    const PlanTensor* const b = tensor_in(plan, first, "B");
    const auto c = first.tensor("C");
    return a != nullptr && b != nullptr && c ? CudnnProblem{product(plan, *a, *b, *c), ""} : CudnnProblem();
  }
  return {};
}

}  // namespace xsp::bound
