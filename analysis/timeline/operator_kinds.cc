#include "analysis/timeline/operator_kinds.h"

#include <algorithm>
#include <initializer_list>
#include <unordered_map>

namespace xsp::analysis {
namespace {

using Names = std::initializer_list<std::string_view>;
using Kinds = std::unordered_map<std::string_view, OperatorKind>;

Kinds kinds_of(std::initializer_list<std::pair<OperatorKind, Names>> lists) {
  Kinds kinds;
  for (const auto& [kind, names] : lists) {
    for (const std::string_view name : names) kinds.emplace(name, kind);
  }
  return kinds;
}

OperatorKind find(const Kinds& kinds, std::string_view name) {
  const auto found = kinds.find(name);
  return found == kinds.end() ? OperatorKind::kOther : found->second;
}

/// Of PyTorch, without namespaces and without the underscore of what works in place.
const Kinds& torch_operators() {
  static const Kinds kKinds = kinds_of({
      {OperatorKind::kConvolution,
       {"conv1d", "conv2d", "conv3d", "conv_tbc", "convolution", "_convolution", "_convolution_mode",
        "convolution_overrideable", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cudnn_convolution",
        "cudnn_convolution_relu", "cudnn_convolution_add_relu", "cudnn_convolution_transpose", "miopen_convolution",
        "miopen_convolution_relu", "miopen_convolution_add_relu", "miopen_convolution_transpose",
        "miopen_depthwise_convolution", "mkldnn_convolution", "_mps_convolution", "_mps_convolution_transpose",
        "_nnpack_spatial_convolution", "_conv_depthwise2d", "conv_depthwise3d", "thnn_conv2d", "_slow_conv2d_forward",
        "slow_conv3d", "slow_conv3d_forward", "slow_conv_dilated2d", "slow_conv_dilated3d", "slow_conv_transpose2d",
        "slow_conv_transpose3d", "deform_conv2d",
        // quantized:: and mkldnn::
        "conv1d_relu", "conv2d_relu", "conv3d_relu", "conv2d_add", "conv2d_add_relu", "conv1d_dynamic",
        "conv2d_dynamic", "conv3d_dynamic", "conv_transpose1d_dynamic", "conv_transpose2d_dynamic",
        "conv_transpose3d_dynamic", "_convolution_pointwise", "_convolution_transpose_pointwise", "qconv_pointwise",
        "qconv2d_pointwise", "conv2d_clamp_run", "conv2d_transpose_clamp_run"}},
      {OperatorKind::kConvolutionGradient,
       {"convolution_backward", "convolution_backward_overrideable", "convolution_double_backward",
        "_convolution_double_backward", "cudnn_convolution_backward", "cudnn_convolution_backward_input",
        "cudnn_convolution_backward_weight", "cudnn_convolution_transpose_backward", "miopen_convolution_backward",
        "mkldnn_convolution_backward", "_slow_conv2d_backward", "conv_tbc_backward", "ConvolutionBackward0",
        "ConvolutionBackwardBackward0", "CudnnConvolutionBackward0", "MkldnnConvolutionBackward0"}},
      {OperatorKind::kProduct,
       {"mm",
        "bmm",
        "matmul",
        "addmm",
        "baddbmm",
        "addbmm",
        "_addmm_activation",
        "_scaled_mm",
        "_int_mm",
        "_weight_int4pack_mm",
        "_weight_int8pack_mm",
        "mv",
        "addmv",
        "linear",
        "mkldnn_linear",
        "einsum",
        "bilinear",
        "chain_matmul",
        "linalg_multi_dot",
        "linear_relu",
        "linear_dynamic",
        "linear_relu_dynamic",
        "_linear_pointwise",
        "qlinear_pointwise",
        "scaled_dot_product_attention",
        "_scaled_dot_product_attention_math",
        "_scaled_dot_product_flash_attention",
        "_scaled_dot_product_flash_attention_for_cpu",
        "_scaled_dot_product_efficient_attention",
        "_scaled_dot_product_cudnn_attention",
        "_scaled_dot_product_fused_attention_overrideable",
        "_flash_attention_forward",
        "_efficient_attention_forward",
        "_native_multi_head_attention",
        "_transformer_encoder_layer_fwd"}},
      {OperatorKind::kLookup, {"embedding"}},
      {OperatorKind::kDropout,
       {"dropout", "native_dropout", "_fused_dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout",
        "bernoulli"}},
  });
  return kKinds;
}

/// Nodes of graphs: ONNX and ONNX Runtime, TensorFlow, MXNet, XLA.
const Kinds& graph_operators() {
  static const Kinds kKinds = kinds_of({
      {OperatorKind::kConvolution,
       {"Conv",
        "ConvTranspose",
        "ConvTransposeWithDynamicPads",
        "ConvInteger",
        "QLinearConv",
        "FusedConv",
        "NhwcConv",
        "NhwcFusedConv",
        "DeformConv",
        "Conv1D",
        "Conv2D",
        "Conv3D",
        "DepthwiseConv2dNative",
        "_FusedConv2D",
        "_FusedConv3D",
        "_FusedDepthwiseConv2dNative",
        "_MklConv2D",
        "_MklNativeConv2D",
        "_MklFusedConv2D",
        "_MklNativeFusedConv2D",
        "QuantizedConv2D",
        "Convolution",
        "Deconvolution",
        "_sg_mkldnn_conv",
        "convolution"}},
      {OperatorKind::kConvolutionGradient,
       {"ConvGrad", "Conv2DBackpropInput", "Conv2DBackpropFilter", "Conv3DBackpropInput", "Conv3DBackpropInputV2",
        "Conv3DBackpropFilter", "Conv3DBackpropFilterV2", "DepthwiseConv2dNativeBackpropInput",
        "DepthwiseConv2dNativeBackpropFilter", "_backward_Convolution", "_backward_Deconvolution"}},
      {OperatorKind::kProduct,
       {"MatMul",
        "Gemm",
        "FusedMatMul",
        "FusedGemm",
        "MatMulInteger",
        "MatMulIntegerToFloat",
        "MatMulNBits",
        "MatMulBnb4",
        "QLinearMatMul",
        "QGemm",
        "DynamicQuantizeMatMul",
        "FusedMatMulActivation",
        "Einsum",
        "Attention",
        "MultiHeadAttention",
        "GroupQueryAttention",
        "PackedAttention",
        "PackedMultiHeadAttention",
        "DecoderMaskedMultiHeadAttention",
        "QAttention",
        "BatchMatMul",
        "BatchMatMulV2",
        "BatchMatMulV3",
        "_FusedMatMul",
        "_FusedBatchMatMul",
        "_FusedBatchMatMulV2",
        "_MklMatMul",
        "FullyConnected",
        "_sg_mkldnn_fully_connected",
        "_sg_mkldnn_selfatt_qk",
        "_sg_mkldnn_selfatt_valatt",
        "_backward_FullyConnected",
        "batch_dot",
        "dot"}},
      {OperatorKind::kLookup, {"Gather", "GatherV2"}},
      {OperatorKind::kDropout, {"Dropout", "BiasDropout", "BitmaskDropout"}},
  });
  return kKinds;
}

}  // namespace

OperatorKind operator_kind(std::string_view name) {
  constexpr std::string_view kSeparator = "::";
  const size_t separator = name.rfind(kSeparator);
  if (separator == std::string_view::npos) {
    const OperatorKind of_graph = find(graph_operators(), name);
    // Nodes of autograd have no namespace.
    return of_graph != OperatorKind::kOther ? of_graph : find(torch_operators(), name);
  }
  name.remove_prefix(separator + kSeparator.size());
  const OperatorKind kind = find(torch_operators(), name);
  if (kind != OperatorKind::kOther || !name.ends_with('_')) return kind;
  return find(torch_operators(), name.substr(0, name.size() - 1));
}

OperatorKind library_call_kind(std::string_view library, std::string_view function) {
  struct Function {
    std::string_view library;
    std::string_view name;
    OperatorKind kind;
  };
  // The gradient of a bias is a sum. What plans of cuDNN's backend execute is not in the function's name.
  static constexpr Function kFunctions[] = {
      {"cudnn", "cudnnConvolutionForward", OperatorKind::kConvolution},
      {"cudnn", "cudnnConvolutionBiasActivationForward", OperatorKind::kConvolution},
      {"cudnn", "cudnnConvolutionBackwardData", OperatorKind::kConvolutionGradient},
      {"cudnn", "cudnnConvolutionBackwardFilter", OperatorKind::kConvolutionGradient},
      {"onednn", "convolution", OperatorKind::kConvolution},
      {"onednn", "deconvolution", OperatorKind::kConvolution},
      {"onednn", "inner_product", OperatorKind::kProduct},
      {"onednn", "matmul", OperatorKind::kProduct},
  };
  const auto* const found = std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](const Function& of) {
    return of.library == library && of.name == function;
  });
  if (found != std::end(kFunctions)) return found->kind;
  constexpr std::string_view kProducts[] = {"blas", "cblas", "cublas", "cublaslt"};
  const bool is_blas = std::find(std::begin(kProducts), std::end(kProducts), library) != std::end(kProducts);
  return is_blas ? OperatorKind::kProduct : OperatorKind::kOther;
}

OperatorKind module_kind(std::string_view type) {
  static const Kinds kKinds = kinds_of({
      {OperatorKind::kConvolution,
       {"Conv1d",
        "Conv2d",
        "Conv3d",
        "ConvTranspose1d",
        "ConvTranspose2d",
        "ConvTranspose3d",
        "LazyConv1d",
        "LazyConv2d",
        "LazyConv3d",
        "LazyConvTranspose1d",
        "LazyConvTranspose2d",
        "LazyConvTranspose3d",
        "ConvReLU1d",
        "ConvReLU2d",
        "ConvReLU3d",
        "ConvBn1d",
        "ConvBn2d",
        "ConvBn3d",
        "ConvBnReLU1d",
        "ConvBnReLU2d",
        "ConvBnReLU3d",
        "DeformConv2d"}},
      {OperatorKind::kProduct, {"Linear", "LazyLinear", "Bilinear", "NonDynamicallyQuantizableLinear", "LinearReLU"}},
      {OperatorKind::kLookup, {"Embedding"}},
      {OperatorKind::kDropout,
       {"Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"}},
  });
  return find(kKinds, type);
}

}  // namespace xsp::analysis
