
#include "analysis/timeline/kernel_metrics.h"
#include "analysis/work/library_work.h"
#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using CallResult = std::optional<CallWork>;

double bytes_of(const std::optional<TensorShape>& tensor) { return tensor ? tensor->bytes() : 0; }

/// Of the function's y, dy, c … the first that is there.
std::optional<TensorShape> first_of(const CallArguments& call, std::initializer_list<std::string_view> fields) {
  for (const std::string_view field : fields) {
    if (auto tensor = described_tensor(call, field)) return tensor;
  }
  return {};
}

CallResult convolution(std::string_view function, const CallArguments& call) {
  const auto image = first_of(call, {"x", "dx"});
  const auto filter = first_of(call, {"w", "dw"});
  const auto result = first_of(call, {"y", "dy"});
  if (function == "cudnnConvolutionBackwardBias") {
    const auto bias = described_tensor(call, "db");
    if (!result || !bias) return {};
    return as_call(work_of(FormulaId::kReduction, result->elements, result->bytes(), bias->bytes(),
                           data_type_of(result->element)));
  }
  if (!image || !filter || !result || filter->rank() < 3 || filter->dimension(0) == 0) return {};
  double flops = 2 * result->elements * (filter->elements / static_cast<double>(filter->dimension(0)));
  const bool to_data = function == "cudnnConvolutionBackwardData";
  const bool to_filter = function == "cudnnConvolutionBackwardFilter";
  double read =
      (to_data ? 0 : image->bytes()) + (to_filter ? 0 : filter->bytes()) + (to_data || to_filter ? result->bytes() : 0);
  const double written = to_data ? image->bytes() : to_filter ? filter->bytes() : result->bytes();
  if (function == "cudnnConvolutionBiasActivationForward") {
    const auto activation = pointwise_flops(word_of(call.text("activation").value_or(""), "mode"));
    // The addend z is there whatever its factor is: whether it is 0 is not known.
    flops += result->elements * (1 + activation.value_or(0));
    read += bytes_of(described_tensor(call, "bias"));
  }
  const auto formula = to_data || to_filter ? FormulaId::kConvolutionBackward : FormulaId::kConvolution;
  auto found = as_call(work_of(formula, flops, read, written, data_type_of(image->element)));
  if (!found) return {};
  if (image->element == "i8") found->work.type = DataType::kI8Tensor;
  const std::string_view algorithm = call.text("algo").value_or("");
  if (algorithm.starts_with("WINOGRAD")) found->flags |= kWinograd;
  if (algorithm.starts_with("FFT")) found->flags |= kFft;
  if (word_of(call.text("conv").value_or(""), "math") == "FMA_MATH") found->is_exact = true;
  return found;
}

CallResult pooling(const CallArguments& call, bool is_backward) {
  const std::string_view settings = call.text("pooling").value_or("");
  const std::string_view mode = word_of(settings, "mode");
  const auto window = product_of_word(settings, "window");
  const auto x = described_tensor(call, "x");
  const auto y = described_tensor(call, "y");
  if (!x || !y || mode.empty()) return {};
  const bool is_max = mode.starts_with("MAX");
  if (!is_max && !window) return {};
  if (is_backward) {
    return as_call(work_of(FormulaId::kPoolingBackward, y->elements * (is_max ? 1 : *window),
                           is_max ? 2 * y->bytes() + x->bytes() : y->bytes(), x->bytes(), data_type_of(x->element)));
  }
  return as_call(work_of(is_max ? FormulaId::kMaxPooling : FormulaId::kAveragePooling,
                         is_max ? 0 : y->elements * *window, x->bytes(), y->bytes(), data_type_of(x->element)));
}

CallResult normalization(std::string_view function, const CallArguments& call) {
  const auto x = described_tensor(call, "x");
  const auto y = first_of(call, {"y", "dx"});
  if (!x || !y) return {};
  const auto type = data_type_of(x->element);
  const double parameters = bytes_of(first_of(call, {"bn_scale_bias_mean_var", "d_bn_scale_bias", "norm_scale_bias"}));
  const std::string_view fused = call.text("bn_ops").value_or(call.text("norm_ops").value_or(""));
  const bool adds = fused.find("ADD") != std::string_view::npos;
  const double added = adds ? x->elements : 0;
  const double added_bytes = adds ? x->bytes() : 0;
  if (function.starts_with("cudnnLRN")) {
    const auto width = product_of_word(call.text("norm").value_or(""), "n");
    if (!width || function.find("Backward") != std::string_view::npos) return {};
    return as_call(work_of(FormulaId::kNormalization, (*width + 5) * x->elements, x->bytes(), y->bytes(), type));
  }
  if (function.find("Backward") != std::string_view::npos) {
    const auto dy = described_tensor(call, "dy");
    return as_call(work_of(FormulaId::kNormalizationBackward, 9 * x->elements,
                           x->bytes() + bytes_of(dy) + 3 * parameters, y->bytes() + 2 * parameters + added_bytes,
                           type));
  }
  if (function.find("Inference") != std::string_view::npos) {
    return as_call(work_of(FormulaId::kBatchNormInference, 2 * x->elements + added,
                           x->bytes() + 4 * parameters + added_bytes, y->bytes(), type));
  }
  if (function.find("ForwardTraining") == std::string_view::npos) return {};
  return as_call(work_of(FormulaId::kNormalization, 7 * x->elements + added, x->bytes() + 4 * parameters + added_bytes,
                         y->bytes() + 4 * parameters, type));
}

/// Of one function for each element; `flops` nothing: not known.
CallResult elementwise(const std::optional<TensorShape>& result, std::optional<double> flops, double read) {
  if (!result || !flops) return {};
  return as_call(work_of(FormulaId::kElementwise, *flops * result->elements, read, result->bytes(),
                         data_type_of(result->element)));
}

CallResult tensor_function(std::string_view function, const CallArguments& call) {
  const auto tensor = [&](std::string_view field) { return described_tensor(call, field); };
  if (function == "cudnnAddTensor") return elementwise(tensor("c"), 1, bytes_of(tensor("a")) + bytes_of(tensor("c")));
  if (function == "cudnnScaleTensor") return elementwise(tensor("y"), 1, bytes_of(tensor("y")));
  if (function == "cudnnSetTensor") return elementwise(tensor("y"), 0, 0);
  if (function.starts_with("cudnnTransformTensor"))
    return elementwise(first_of(call, {"y", "dest"}), 0, bytes_of(first_of(call, {"x", "src"})));
  if (function == "cudnnDropoutForward") return elementwise(tensor("y"), 2, bytes_of(tensor("x")));
  if (function == "cudnnOpTensor") {
    const auto flops = pointwise_flops(word_of(call.text("op_tensor").value_or(""), "op"));
    return elementwise(tensor("c"), flops, bytes_of(tensor("a")) + bytes_of(tensor("b")));
  }
  if (function != "cudnnReduceTensor") return {};
  const std::string_view operation = word_of(call.text("reduce_tensor").value_or(""), "op");
  const auto a = tensor("a");
  const auto c = tensor("c");
  if (!a || !c || operation.empty()) return {};
  const double flops = operation == "NORM2"                                              ? 2
                       : operation == "MIN" || operation == "MAX" || operation == "AMAX" ? 0
                                                                                         : 1;
  return as_call(work_of(FormulaId::kReduction, flops * a->elements, a->bytes(), c->bytes(), data_type_of(a->element)));
}

/// The sizes stand in the descriptor; each gradient is as much as the forward pass.
CallResult recurrent(std::string_view function, const CallArguments& call) {
  const std::string_view settings = call.text("rnn").value_or("");
  const std::string_view cell = word_of(settings, "cell");
  const auto input = product_of_word(settings, "input");
  const auto hidden = product_of_word(settings, "hidden");
  const auto layers = product_of_word(settings, "layers");
  if (!input || !hidden || !layers || *layers < 1 || *layers > 10'000 || cell.empty()) return {};
  const double projected = product_of_word(settings, "projected").value_or(*hidden);
  const double directions = word_of(settings, "direction") == "BIDIRECTIONAL" ? 2 : 1;
  const double gates = cell == "LSTM" ? 4 : cell == "GRU" ? 3 : 1;
  double steps = 0;
  DataType type = DataType::kF32;
  double io = 0;
  if (const auto x = described_tensor(call, "x"); x && x->rank() == 3) {
    steps = static_cast<double>(x->dimension(0)) * static_cast<double>(x->dimension(1));
    type = data_type_of(x->element);
    io = x->bytes();
  } else if (const auto states = described_tensor(call, "hx"); states && states->rank() == 3) {
    steps = call.number("seq_length").value_or(0) * static_cast<double>(states->dimension(1));
    type = data_type_of(states->element);
    io = steps * *input * element_bytes(states->element);
  }
  if (steps <= 0) return {};
  const bool projects = projected != *hidden && projected > 0;
  const double state = projects ? projected : *hidden;
  double weights = 0;
  for (double layer = 0; layer < *layers; ++layer) {
    const double width = layer == 0 ? *input : state * directions;
    weights += directions * (gates * *hidden * (width + state) + (projects ? *hidden * projected : 0));
  }
  const double flops = 2 * steps * weights + 30 * steps * *hidden * *layers * directions;
  const double weight_bytes = call.number("weight_space_size").value_or(0);
  auto found =
      as_call(work_of(FormulaId::kRecurrent, flops, io + weight_bytes, io / *input * state * directions, type));
  if (found && (weight_bytes == 0 || *input == 0 || function.find("Backward") != std::string_view::npos))
    found->work.has_bytes = false;
  return found;
}

}  // namespace

std::optional<double> pointwise_flops(std::string_view mode) {
  struct PointwiseMode {
    std::string_view name;
    double flops;
  };
  static constexpr PointwiseMode kModes[] = {
      {"RELU", 0},          {"CLIPPED_RELU", 0},
      {"IDENTITY", 0},      {"SIGMOID", 3},
      {"TANH", 1},          {"ELU", 3},
      {"SWISH", 4},         {"ADD", 1},
      {"SUB", 1},           {"MUL", 1},
      {"DIV", 1},           {"MIN", 0},
      {"MAX", 0},           {"SQRT", 1},
      {"RSQRT", 1},         {"NOT", 1},
      {"RELU_FWD", 0},      {"TANH_FWD", 1},
      {"ELU_FWD", 3},       {"SIGMOID_FWD", 3},
      {"GELU_FWD", 8},      {"GELU_APPROX_TANH_FWD", 8},
      {"SWISH_FWD", 4},     {"SOFTPLUS_FWD", 3},
      {"EXP", 1},           {"LOG", 1},
      {"POW", 1},           {"SIN", 1},
      {"COS", 1},           {"TAN", 1},
      {"ERF", 1},           {"RECIPROCAL", 1},
      {"ADD_SQUARE", 2},    {"NEG", 0},
      {"ABS", 0},           {"FLOOR", 0},
      {"CEIL", 0},          {"MOD", 1},
      {"RELU_BWD", 0},      {"TANH_BWD", 3},
      {"SIGMOID_BWD", 3},   {"ELU_BWD", 3},
      {"GELU_BWD", 14},     {"GELU_APPROX_TANH_BWD", 14},
      {"SWISH_BWD", 7},     {"SOFTPLUS_BWD", 3},
      {"BINARY_SELECT", 0}, {"GEN_INDEX", 0},
  };
  for (const PointwiseMode& known : kModes) {
    if (known.name == mode) return known.flops;
  }
  if (mode.starts_with("CMP_") || mode.starts_with("LOGICAL_")) return 0;
  return {};
}

std::optional<CallWork> cudnn_work(std::string_view function, const CallArguments& call) {
  const std::string_view kind = call.text("class").value_or("");
  const bool is_backward = function.find("Backward") != std::string_view::npos;
  if (kind == "convolution") return convolution(function, call);
  if (kind == "pooling") return pooling(call, is_backward);
  if (kind == "normalization") return normalization(function, call);
  if (kind == "rnn") return recurrent(function, call);
  if (kind == "tensor") return tensor_function(function, call);
  if (kind == "activation") {
    const auto flops = pointwise_flops(word_of(call.text("activation").value_or(""), "mode"));
    const auto x = described_tensor(call, "x");
    if (!x || !flops) return {};
    if (!is_backward) return elementwise(x, flops, x->bytes());
    // y, dy and x are read.
    return elementwise(x, *flops == 0 ? 0 : *flops + 1, 3 * x->bytes());
  }
  if (kind == "softmax") {
    const auto y = described_tensor(call, "y");
    if (!y) return {};
    return as_call(work_of(is_backward ? FormulaId::kSoftmaxBackward : FormulaId::kSoftmax, 4 * y->elements,
                           y->bytes() * (is_backward ? 2 : 1), y->bytes(), data_type_of(y->element)));
  }
  return {};
}

}  // namespace xsp::analysis
