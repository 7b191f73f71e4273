#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xsp::analysis {

/// What a kernel computes in: the roof of its point. The tensor types are matrix units fed with that type; the plain
/// ones are the ordinary pipes.
enum class DataType : uint8_t {
  kUnknown,
  kF64,
  kF32,
  kF16,
  kBf16,
  kI32,
  kF64Tensor,
  kTf32Tensor,
  kF16Tensor,
  kBf16Tensor,
  kF8Tensor,
  kI8Tensor,
  kF4Tensor,
};
inline constexpr size_t kDataTypes = 13;

/// "f32", "tf32 tensor"; empty for kUnknown.
std::string_view name_of(DataType type);

/// Bytes of an element by its name in arguments ("f32", "bf16", "i64", "bool", "f8e4m3"); 0 for an unknown one.
double element_bytes(std::string_view element);

}  // namespace xsp::analysis
