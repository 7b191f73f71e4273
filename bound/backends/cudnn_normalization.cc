#include <cmath>
#include <numeric>

#include "bound/backends/cudnn_draft.h"

namespace xsp::bound::cudnn {
namespace {

Description norm(NormMode mode) {
  return {CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR,
          {{CUDNN_ATTR_OPERATION_NORM_FWD_MODE, Enumerator{CUDNN_TYPE_NORM_MODE, mode}},
           {CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, Enumerator{CUDNN_TYPE_NORM_FWD_PHASE, CUDNN_NORM_FWD_INFERENCE}}}};
}

/// Operands of batchnorm: src scale shift mean variance.
enum BatchNormOperand : size_t { kSource, kScale, kShift, kMean, kVariance };

using ChannelValue = double (*)(double scale, double shift, double mean, double deviation);

/// A number a channel, from those that the problem has.
PreparedValues of_channels(double epsilon, ChannelValue value) {
  return [epsilon, value](const std::vector<PlainTensor>& operands) {
    const auto at = [&](size_t operand, size_t channel) {
      return static_cast<double>(operands[operand].values[channel]);
    };
    std::vector<float> values;
    for (size_t c = 0; c < operands[kScale].elements(); ++c) {
      const double deviation = std::sqrt(at(kVariance, c) + epsilon);
      values.push_back(static_cast<float>(value(at(kScale, c), at(kShift, c), at(kMean, c), deviation)));
    }
    return values;
  };
}

double scale_of(double scale, double, double, double deviation) { return scale / deviation; }
double shift_of(double scale, double shift, double mean, double deviation) { return shift - mean * scale / deviation; }

/// All that is constant about a channel made one factor and one addend.
Graph scaled(const ProblemInput& input, DataLayout layout, const Dimensions& image, const Dimensions& channels,
             double epsilon) {
  Draft draft(input, layout, "scale, shift");
  const TensorId x = draft.operand(kSource, image);
  const TensorId factor = draft.prepared(channels, of_channels(epsilon, scale_of));
  const TensorId addend = draft.prepared(channels, of_channels(epsilon, shift_of));
  const TensorId y = draft.binary(CUDNN_POINTWISE_ADD, draft.binary(CUDNN_POINTWISE_MUL, x, factor), addend);
  return std::move(draft).finish(y);
}

std::vector<float> zeros_like_scale(const std::vector<PlainTensor>& operands) {
  return std::vector<float>(operands[kScale].elements());
}

}  // namespace

Status draw_batch_norm(const ProblemInput& input, std::vector<Graph>* graphs) {
  const Dimensions& result = input.result();
  const double epsilon = input.problem().number("eps", kUsualEpsilon);
  const int64_t pixels = elements_in(result).value_or(0) / (result[0] * result[1]);
  for (const DataLayout layout : layouts_for(result)) {
    const bool is_plain = layout == DataLayout::kPlain;
    // Engines want what they broadcast along rows or along columns of the plain layout.
    const Dimensions image = !is_plain    ? image_dimensions(result)
                             : pixels > 1 ? Dimensions{result[0], result[1], pixels}
                                          : Dimensions{1, result[0], result[1]};
    Dimensions channels(image.size(), 1);
    channels[is_plain && pixels == 1 ? 2 : 1] = result[1];
    graphs->push_back(scaled(input, layout, image, channels, epsilon));
  }
  return {};
}

Status draw_layer_norm(const ProblemInput& input, std::vector<Graph>* graphs) {
  const auto axis = static_cast<std::ptrdiff_t>(input.problem().integer("axis"));
  const Dimensions& result = input.result();
  const int64_t inner = std::accumulate(result.begin() + axis, result.end(), int64_t{1}, std::multiplies<>());
  const int64_t outer = elements_in(result).value_or(0) / inner;
  const Dimensions rows{outer, inner, 1, 1}, factors{1, inner, 1, 1};
  Draft draft(input, DataLayout::kPlain);
  Description operation = norm(CUDNN_LAYER_NORM);
  const auto bias = input.operand("bias");
  const TensorId x = draft.operand(kSource, rows);
  const TensorId scale = draft.operand(kScale, factors);
  // The operation always has one.
  const TensorId shift = bias ? draft.operand(*bias, factors) : draft.prepared(factors, zeros_like_scale);
  const TensorId epsilon = draft.scalar(input.problem().number("eps", kUsualEpsilon), rows.size());
  operation.attributes.insert(operation.attributes.end(),
                              {{CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, std::vector{x}},
                               {CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, std::vector{scale}},
                               {CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, std::vector{shift}},
                               {CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, std::vector{epsilon}}});
  const TensorId y = draft.add(std::move(operation), CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, rows);
  graphs->push_back(std::move(draft).finish(y));
  return {};
}

}  // namespace xsp::bound::cudnn
