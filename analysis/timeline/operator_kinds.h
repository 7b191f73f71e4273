#pragma once

#include <cstdint>
#include <string_view>

namespace xsp::analysis {

/// What an operator, a library call or a layer computes. Names are compared whole: `Conv1D` of transformers is a matrix
/// product, `aten::convert` no convolution, and classes may be called anything.
enum class OperatorKind : uint8_t {
  kOther,
  kConvolution,          // transposed ones too
  kConvolutionGradient,  // of its input, its weights, or both
  kProduct,              // of matrices, attention too
  kLookup,               // rows of a table by indices
  kDropout,
};

/// Of an operator of PyTorch ("aten::conv2d"), ONNX Runtime ("FusedConv"), TensorFlow ("Conv2D"), MXNet ("Convolution")
/// or XLA ("convolution").
OperatorKind operator_kind(std::string_view name);

/// Of a call of a library: "cudnn" and "cudnnConvolutionForward", "onednn" and "deconvolution".
OperatorKind library_call_kind(std::string_view library, std::string_view function);

/// Of a class of torch.nn, for layers of which nothing that they ran was recorded.
OperatorKind module_kind(std::string_view type);

inline bool is_convolution(OperatorKind kind) {
  return kind == OperatorKind::kConvolution || kind == OperatorKind::kConvolutionGradient;
}

}  // namespace xsp::analysis
