#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/trace/data_type.h"

namespace xsp::analysis {

/// What the name of a kernel, mangled or not, says of it: bits.
enum KernelTrait : uint16_t {
  kMainProduct = 1,  ///< does the products of a matrix product, a convolution, attention or a recurrent network
  kTensorNamed = 2,  ///< uses matrix units, of whatever type
  kTf32Named = 4,
  kBf16Named = 8,
  kF16Named = 16,
  kF64TensorNamed = 32,
  kPlainNamed = 64,  ///< uses the ordinary pipes
  kWinogradNamed = 128,
  kFftNamed = 256,  ///< of a convolution by transforms
};

/// By the naming of cuBLAS, cuDNN, CUTLASS, xmma, nvjet, FlashAttention, Triton and PyTorch.
uint16_t kernel_traits(std::string_view name);

/// What a product of `type` is done in by a kernel of these traits on a device of this compute capability (major · 10 +
/// minor; 0: not known). Products of f32 may run as TF32, halves on matrix units.
DataType product_type(DataType type, uint16_t traits, uint32_t capability);

}  // namespace xsp::analysis
