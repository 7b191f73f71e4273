#include "analysis/timeline/operator_kinds.h"

#include <string>

#include "analysis/work/operator_table.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

TEST_CASE("operators of all frameworks are what they compute") {
  using enum OperatorKind;
  for (const char* name : {"aten::conv2d", "aten::conv_transpose1d", "aten::_convolution", "aten::mkldnn_convolution",
                           "quantized::conv2d_relu", "mkldnn::_convolution_pointwise", "torchvision::deform_conv2d",
                           "Conv", "ConvTranspose", "FusedConv", "NhwcFusedConv", "ConvInteger", "QLinearConv",
                           "Conv2D", "DepthwiseConv2dNative", "Convolution", "Deconvolution", "convolution"}) {
    INFO(name);
    CHECK(operator_kind(name) == kConvolution);
  }
  for (const char* name : {"aten::convolution_backward", "ConvolutionBackward0", "Conv2DBackpropFilter"}) {
    INFO(name);
    CHECK(operator_kind(name) == kConvolutionGradient);
    CHECK(is_convolution(operator_kind(name)));
  }
  for (const char* name : {"aten::addmm", "aten::linear", "aten::baddbmm_", "MatMul", "Gemm", "BatchMatMulV2",
                           "aten::scaled_dot_product_attention", "GroupQueryAttention"}) {
    INFO(name);
    CHECK(operator_kind(name) == kProduct);
  }
  CHECK(operator_kind("aten::embedding") == kLookup);
  CHECK(operator_kind("aten::bernoulli_") == kDropout);
}

TEST_CASE("names that only contain those of others are nothing of them") {
  for (const char* name :
       {"", "aten::convert", "aten::_convert_indices_from_csr_to_coo", "ConvertLayout", "aten::conv2d_shapes",
        "Conv1DLayerNorm", "aten::upsample_bilinear2d", "aten::nonlinear", "aten::comm_split", "aten::programming",
        "aten::softmax_attention_mask", "ReorderInput", "aten::", "::", "NoDropout", "conversion"}) {
    INFO(name);
    CHECK(operator_kind(name) == OperatorKind::kOther);
  }
  // Of transformers a matrix product, and of everybody anything.
  for (const char* type : {"Conv1D", "ConvNextLayerNorm", "ConvertToGray", "NoDropoutBlock", "LinearAttention", ""}) {
    INFO(type);
    CHECK(module_kind(type) == OperatorKind::kOther);
  }
  CHECK(module_kind("Conv1d") == OperatorKind::kConvolution);
  CHECK(module_kind("ConvTranspose2d") == OperatorKind::kConvolution);
}

TEST_CASE("library calls are what their function computes, in its own library") {
  using enum OperatorKind;
  CHECK(library_call_kind("cudnn", "cudnnConvolutionForward") == kConvolution);
  CHECK(library_call_kind("cudnn", "cudnnConvolutionBackwardFilter") == kConvolutionGradient);
  CHECK(library_call_kind("cudnn", "cudnnConvolutionBackwardBias") == kOther);
  CHECK(library_call_kind("onednn", "deconvolution") == kConvolution);
  CHECK(library_call_kind("onednn", "convolution create") == kOther);
  CHECK(library_call_kind("blas", "sgemm_") == kProduct);
  CHECK(library_call_kind("", "cudnnConvolutionForward") == kOther);
}

/// Two tables say what an operator is: this one and that of its flops.
TEST_CASE("kinds and formulas agree about every operator that has both") {
  const auto check_all = [](std::span<const NamedOperator> operators, FormulaId formula, OperatorKind kind) {
    for (const NamedOperator& named : operators) {
      if (named.formula != formula) continue;
      const bool is_of_graph = named.name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") <= 1;
      const std::string name = is_of_graph ? std::string(named.name) : "aten::" + std::string(named.name);
      INFO(name);
      CHECK(operator_kind(name) == kind);
    }
  };
  check_all(convolution_operators(), FormulaId::kConvolution, OperatorKind::kConvolution);
  check_all(convolution_operators(), FormulaId::kTransposedConvolution, OperatorKind::kConvolution);
  check_all(convolution_gradient_operators(), FormulaId::kConvolutionBackward, OperatorKind::kConvolutionGradient);
}

}  // namespace
}  // namespace xsp::analysis
