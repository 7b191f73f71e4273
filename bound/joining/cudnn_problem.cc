#include "bound/joining/cudnn_problem.h"

#include <algorithm>

#include "analysis/work/library_work.h"
#include "base/number_text.h"
#include "bound/joining/call_node.h"
#include "bound/joining/onednn_text.h"
#include "bound/shapes/operator_call.h"

namespace xsp::bound {
namespace {

using analysis::CallArguments;

struct Tensor {
  ElementType element = ElementType::kUndefined;
  Dimensions sizes;
  std::string layout;
};

/// "f16[8,64,56,56]nhwc": without a layout it is the usual one.
std::optional<Tensor> tensor_of(const CallArguments& call, std::string_view field) {
  const auto text = call.text(field);
  const auto shape = text ? analysis::described_tensor(*text) : std::nullopt;
  if (!shape) return {};
  Tensor tensor{element_type_named(shape->element).value_or(ElementType::kUndefined), shape->dimensions,
                std::string(text->substr(text->find(']') + 1))};
  if (tensor.layout.empty())
    tensor.layout = tensor.sizes.size() == 5 ? "ncdhw" : tensor.sizes.size() == 3 ? "ncw" : "nchw";
  return tensor;
}

/// "[1,1]" or "1" behind a word.
Dimensions list_of(std::string_view text, std::string_view key) {
  std::string_view value = analysis::word_of(text, key);
  if (value.starts_with('[') && value.ends_with(']')) value = value.substr(1, value.size() - 2);
  Dimensions numbers;
  for (const std::string_view part : parts_of(value, ',')) {
    const auto number = number_in<int64_t>(part);
    if (!number || numbers.size() == kMostRank) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

Dimensions twice(Dimensions pads) {
  Dimensions both = pads;
  both.insert(both.end(), pads.begin(), pads.end());
  return both;
}

/// cuDNN turns the filter round in the mode CONVOLUTION; what models call so is a cross-correlation.
std::optional<Problem> convolution(const CallArguments& call, const Tensor& x, const Tensor& y) {
  const auto w = tensor_of(call, "w");
  const std::string_view settings = call.text("conv").value_or("");
  if (!w || analysis::word_of(settings, "mode") != "CROSS_CORRELATION") return {};
  CallNode node("Conv");
  node.input(x.element, x.sizes).input(w->element, w->sizes).output(y.element, y.sizes);
  node.integers("strides", list_of(settings, "stride")).integers("dilations", list_of(settings, "dilation"));
  node.integers("pads", twice(list_of(settings, "pad")));
  node.integer("group", number_in<int64_t>(analysis::word_of(settings, "groups")).value_or(1));
  return node.problem();
}

std::optional<Problem> pooling(const CallArguments& call, const Tensor& x, const Tensor& y) {
  const std::string_view settings = call.text("pooling").value_or("");
  const std::string_view mode = analysis::word_of(settings, "mode");
  const Dimensions window = list_of(settings, "window"), pads = list_of(settings, "pad");
  Dimensions strides = list_of(settings, "stride");
  if (x.sizes.size() < 3 || window.size() != x.sizes.size() - 2 || pads.size() != window.size()) return {};
  const bool is_global = std::equal(window.begin(), window.end(), x.sizes.begin() + 2) &&
                         std::ranges::all_of(pads, [](int64_t pad) { return pad == 0; });
  if (is_global) strides.assign(window.size(), 1);
  const bool is_max = mode.starts_with("MAX");
  if (!is_max && !mode.starts_with("AVERAGE")) return {};
  CallNode node(is_max ? "MaxPool" : "AveragePool");
  node.input(x.element, x.sizes).output(y.element, y.sizes);
  node.integers("kernel_shape", window).integers("strides", strides).integers("pads", twice(pads));
  if (!is_max) node.integer("count_include_pad", mode == "AVERAGE_COUNT_INCLUDE_PADDING" ? 1 : 0);
  return node.problem();
}

/// Over all but the batch, or over channels.
std::optional<Problem> softmax(const CallArguments& call, const Tensor& x, const Tensor& y) {
  Dimensions sizes = x.sizes;
  const bool is_by_channels = call.text("mode").value_or("") == "CHANNEL";
  if (sizes.size() < 2) return {};
  const auto inner = elements_in(Dimensions(sizes.begin() + 1, sizes.end()));
  if (!inner) return {};
  // Trailing ones are there because cuDNN wants four dimensions.
  if (!is_by_channels || elements_in(Dimensions(sizes.begin() + 2, sizes.end())) == 1) sizes = {sizes[0], *inner};
  CallNode node(call.text("algo").value_or("") == "LOG" ? "LogSoftmax" : "Softmax");
  return node.input(x.element, sizes).output(y.element, sizes).integer("axis", 1).problem();
}

std::optional<Problem> activation(const CallArguments& call, const Tensor& x, const Tensor& y) {
  const std::string_view settings = call.text("activation").value_or("");
  const std::string_view mode = analysis::word_of(settings, "mode");
  const double coefficient = number_in<double>(analysis::word_of(settings, "coef")).value_or(0);
  Problem problem("eltwise");
  const auto set = [&](std::string_view alg, double alpha, double beta) {
    problem.set("alg", alg).set_dimensions("src", x.sizes).set_number("alpha", alpha).set_number("beta", beta);
    problem.set("dtype", name_of(x.element));
  };
  if (mode == "RELU") {
    set("relu", 0, 0);
  } else if (mode == "SIGMOID") {
    set("sigmoid", 0, 0);
  } else if (mode == "TANH") {
    set("tanh", 0, 0);
  } else if (mode == "ELU") {
    set("elu", coefficient, 0);
  } else if (mode == "CLIPPED_RELU") {
    set("clip", 0, coefficient);
  } else {
    return {};
  }
  return x.element == y.element && x.element != ElementType::kUndefined && elements_in(x.sizes).value_or(0) > 0
             ? std::optional(std::move(problem))
             : std::nullopt;
}

std::optional<Problem> batch_normalization(const CallArguments& call, const Tensor& x, const Tensor& y) {
  if (call.text("mode").value_or("PER_ACTIVATION") == "PER_ACTIVATION" || x.sizes.size() < 2) return {};
  CallNode node("BatchNormalization");
  node.input(x.element, x.sizes);
  for (int i = 0; i < 4; ++i) node.input(x.element, {x.sizes[1]});
  return node.output(y.element, y.sizes).problem();
}

/// c = a + c, the first one repeated where it is smaller.
std::optional<Problem> addition(const CallArguments& call) {
  const auto a = tensor_of(call, "a"), c = tensor_of(call, "c");
  if (!a || !c) return {};
  CallNode node("Add");
  return node.input(c->element, c->sizes).input(a->element, a->sizes).output(c->element, c->sizes).problem();
}

std::optional<Problem> pair(const CallArguments& call) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"ADD", "Add"}, {"MUL", "Mul"}, {"MIN", "Min"}, {"MAX", "Max"}};
  const auto a = tensor_of(call, "a"), b = tensor_of(call, "b"), c = tensor_of(call, "c");
  const auto* const found = std::ranges::find(kTypes, analysis::word_of(call.text("op_tensor").value_or(""), "op"),
                                              &std::pair<std::string_view, std::string_view>::first);
  if (!a || !b || !c || found == std::end(kTypes)) return {};
  CallNode node{std::string(found->second)};
  return node.input(a->element, a->sizes).input(b->element, b->sizes).output(c->element, c->sizes).problem();
}

struct FunctionRule {
  std::string_view function;
  std::optional<Problem> (*make)(const CallArguments& call, const Tensor& x, const Tensor& y);
};
constexpr FunctionRule kLegacyFunctions[] = {
    {"cudnnActivationForward", activation},   {"cudnnBatchNormalizationForwardInference", batch_normalization},
    {"cudnnConvolutionForward", convolution}, {"cudnnPoolingForward", pooling},
    {"cudnnSoftmaxForward", softmax},
};

}  // namespace

CudnnProblem problem_of_cudnn(std::string_view function, const CallArguments& call) {
  if (function == "cudnnAddTensor") return {addition(call), ""};
  if (function == "cudnnOpTensor") return {pair(call), ""};
  const auto x = tensor_of(call, "x"), w = tensor_of(call, "w"), y = tensor_of(call, "y");
  if (!x || !y) return {};
  CudnnProblem found;
  found.layout = w ? x->layout + ":" + w->layout + ":" + y->layout : x->layout + ":" + y->layout;
  const auto* const rule = std::ranges::find(kLegacyFunctions, function, &FunctionRule::function);
  if (rule != std::end(kLegacyFunctions)) found.problem = rule->make(call, *x, *y);
  return found;
}

}  // namespace xsp::bound
