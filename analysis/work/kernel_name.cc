#include "analysis/work/kernel_name.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <span>
#include <string>

namespace xsp::analysis {
namespace {

bool has_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return has_any(text, std::span(parts.begin(), parts.size()));
}

/// Names are some hundred bytes; what is behind this says nothing more.
constexpr size_t kMaxBytes = 1024;

/// What helpers of products do: offsets, layouts, transforms of tiles, sums of parts.
constexpr std::string_view kHelpers[] = {
    "offsets",          "nchwtonhwc",      "nhwctonchw",   "generatewinogradtiles",
    "winogradforward",  "winogradwgrad",   "im2col",       "col2im",
    "transpose",        "convert",         "scalepacked",  "scaletensor",
    "splitkreduce",     "reduce_kernel",   "reducekernel", "elementwise",
    "fillfunctor",      "memset",          "dot_do_o",     "combine",
    "layout_transform", "tensortransform", "fft2d",        "fft1d",
};

constexpr std::string_view kProducts[] = {
    "gemm",      "gemv",       "conv",   "fprop",  "dgrad", "wgrad",    "winograd",  "cutlass",
    "xmma",      "nvjet",      "scudnn", "hcudnn", "mma_",  "flash",    "fmha",      "attn",
    "attention", "dot_kernel", "rnn",    "lstm",   "gru_",  "implicit", "triton_mm", "triton_tem",
};

}  // namespace

uint16_t kernel_traits(std::string_view recorded) {
  std::string name(recorded.substr(0, kMaxBytes));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  unsigned traits = 0;
  if (has_any(name, kProducts) && !has_any(name, kHelpers)) traits |= kMainProduct;
  if (has_any(name, {"winograd"})) traits |= kWinogradNamed;
  if (has_any(name, {"fft", "cgemm"})) traits |= kFftNamed;
  // The shape of an instruction, preceded by the accumulator's type: s16816, h884; i8816; d884.
  const bool is_simt = has_any(name, {"simt"});
  if (has_any(name, {"16816", "s1688", "h1688", "s884", "h884", "i8816", "i16832", "hmma", "imma", "gmma", "tensorop",
                     "nvjet", "flash_fwd", "flash_bwd", "fmha", "tcgen05", "utcmma"}) &&
      !is_simt) {
    traits |= kTensorNamed;
  }
  if (has_any(name, {"dmma", "d884", "tensorop_d", "xmma_gemm_f64"}) && !is_simt) traits |= kF64TensorNamed;
  if (has_any(name, {"tf32"})) traits |= kTf32Named | kTensorNamed;
  if (has_any(name, {"bf16", "bfloat16", "nvjet_t"})) traits |= kBf16Named;
  // "bf16" contains "f16".
  size_t at = 0;
  while ((at = name.find("f16", at)) != std::string::npos) {
    if (at == 0 || name[at - 1] != 'b') traits |= kF16Named;
    at += 3;
  }
  if (has_any(name, {"fp16", "half", "s884", "h884", "h1688", "h16816", "nvjet_h"})) traits |= kF16Named;
  if (is_simt || has_any(name, {"gemv", "dot_kernel", "depthwise", "_hgemm", "_sgemm", "naive", "elementwise"})) {
    traits |= kPlainNamed;
  }
  return static_cast<uint16_t>(traits);
}

DataType product_type(DataType type, uint16_t traits, uint32_t capability) {
  const bool is_tensor = (traits & kTensorNamed) != 0;
  constexpr uint32_t kFirstWithMatrixUnits = 70;
  switch (type) {
    case DataType::kF64:
      return (traits & kF64TensorNamed) != 0 ? DataType::kF64Tensor : type;
    case DataType::kF32:
      // Kernels of xmma for f32 are of both kinds; those that use matrix units say tf32.
      if ((traits & kTf32Named) != 0) return DataType::kTf32Tensor;
      if (!is_tensor) return type;
      if ((traits & kBf16Named) != 0) return DataType::kBf16Tensor;
      return (traits & kF16Named) != 0 ? DataType::kF16Tensor : DataType::kTf32Tensor;
    case DataType::kF16:
    case DataType::kBf16: {
      // Since Volta, products of halves in cuBLAS and cuDNN are on matrix units unless the name says otherwise.
      const bool on_matrix_units = is_tensor || ((traits & kPlainNamed) == 0 && (traits & kMainProduct) != 0 &&
                                                 capability >= kFirstWithMatrixUnits);
      if (!on_matrix_units) return type;
      return type == DataType::kF16 ? DataType::kF16Tensor : DataType::kBf16Tensor;
    }
    default:
      return type;
  }
}

}  // namespace xsp::analysis
