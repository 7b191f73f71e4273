#include "bound/backends/cudnn_draft.h"

namespace xsp::bound::cudnn {
namespace {

/// What differs between a convolution and the gradient of its data, which a transposed one is.
struct ConvolutionNames {
  DescriptorType operation;
  AttributeName convolution, alpha, beta, source, weights, result;
};
constexpr ConvolutionNames kForward = {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                                       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                                       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                                       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
                                       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                                       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                                       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
constexpr ConvolutionNames kTransposed = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX};

std::shared_ptr<const Description> described(const Window& window, const Enumerator& sum_type) {
  return std::make_shared<const Description>(
      Description{CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR,
                  {{CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::vector{static_cast<int64_t>(window.rank())}},
                   {CUDNN_ATTR_CONVOLUTION_COMP_TYPE, sum_type},
                   {CUDNN_ATTR_CONVOLUTION_CONV_MODE, Enumerator{CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION}},
                   {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, window.pads_begin},
                   {CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, window.pads_end},
                   {CUDNN_ATTR_CONVOLUTION_DILATIONS, window.dilations},
                   {CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, window.strides}}});
}

Status draw_one(const ProblemInput& input, const ConvolutionNames& names, const Window& window, DataLayout layout,
                std::vector<Graph>* graphs) {
  const auto source = input.operand("src"), weights = input.operand("wei"), bias = input.operand("bias");
  if (!source || !weights) return {"a convolution without its operands", ""};
  Draft draft(input, layout);
  const Dimensions result = image_dimensions(input.result());
  const TensorId x = draft.operand(*source, image_dimensions(input.dimensions_of(*source)));
  const TensorId w = draft.operand(*weights, image_dimensions(input.dimensions_of(*weights)));
  TensorId y = draft.add({names.operation,
                          {{names.convolution, described(window, draft.sum_type(x))},
                           {names.alpha, Real{CUDNN_TYPE_FLOAT, 1}},
                           {names.beta, Real{CUDNN_TYPE_FLOAT, 0}},
                           {names.source, std::vector{x}},
                           {names.weights, std::vector{w}}}},
                         names.result, result);
  if (bias) {
    Dimensions channels(result.size(), 1);
    channels[1] = result[1];
    y = draft.binary(CUDNN_POINTWISE_ADD, y, draft.operand(*bias, channels));
  }
  if (Status status = draft.apply_post(&y); !status.ok()) return status;
  graphs->push_back(std::move(draft).finish(y));
  return {};
}

Status draw(const ProblemInput& input, const ConvolutionNames& names, std::vector<Graph>* graphs) {
  const Dimensions weights = input.problem().dimensions("wei");
  if (weights.size() < 3 || weights.size() > 5) return {"cuDNN convolves in one to three dimensions", ""};
  const auto window = window_of(input.problem(), Dimensions(weights.begin() + 2, weights.end()));
  if (!window) return {"a convolution without a window", ""};
  return draw_each_layout(input, input.result(), graphs,
                          [&](const ProblemInput& each, DataLayout layout, std::vector<Graph>* drawn) {
                            return draw_one(each, names, image_window(*window), layout, drawn);
                          });
}

}  // namespace

Status draw_convolution(const ProblemInput& input, std::vector<Graph>* graphs) { return draw(input, kForward, graphs); }

Status draw_transposed_convolution(const ProblemInput& input, std::vector<Graph>* graphs) {
  return draw(input, kTransposed, graphs);
}

}  // namespace xsp::bound::cudnn
