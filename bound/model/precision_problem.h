#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xsp::bound {

/// Names of --dtype: f16, bf16, tf32, f64, fp8, int8.
std::vector<std::string> precision_names();

/// What a problem does in a model whose precision changes.
enum class PrecisionRole {
  kStays,     // it is not computed in the precision
  kComputes,  // products and convolutions: what the precision is for
  kFollows,   // elementwise functions, normalizations, poolings, moves: where what they read has the type already
};

/// A problem of f32 in another precision.
struct PrecisionProblem {
  PrecisionRole role = PrecisionRole::kStays;
  /// Ways to write it, each computed by some libraries. int8 has two: bytes without sign as source and result
  /// (`u8:i8:u8`, oneDNN and ONNX Runtime), and with sign throughout (`i8`, GPUs). Empty of what stays.
  std::vector<std::string> problems;
};
PrecisionProblem in_precision(const std::string& problem, std::string_view precision);

/// Whether values between layers have the type as well. Not of tf32, which rounds within a product alone.
bool changes_values(std::string_view precision);

/// Whether layers that follow do so only where all that they read has the type. Of int8, whose border costs more than
/// they gain; of the others one operand is enough.
bool follows_all(std::string_view precision);

/// `cast src=N from=f32 to=bf16` and back: what a border costs for so many elements, by the same ways to write it.
/// For int8 that is quantizing and dequantizing without scale and zero point.
std::vector<std::string> casts_into(std::string_view precision, int64_t elements);
std::vector<std::string> casts_out_of(std::string_view precision, int64_t elements);

}  // namespace xsp::bound
