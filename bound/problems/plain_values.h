#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bound/problems/problem.h"

namespace xsp::bound {

/// Constants that a problem names only where its own differ: eps of batchnorm and layernorm; alpha, beta and bias of
/// lrn.
inline constexpr double kUsualEpsilon = 1e-5;
inline constexpr double kUsualLrnAlpha = 1e-4;
inline constexpr double kUsualLrnBeta = 0.75;
inline constexpr double kUsualLrnBias = 1;

/// One operand of a problem in plain row-major order, as numbers whatever its type is. A value of a type with fewer
/// bits is one that the type can hold.
struct PlainTensor {
  std::string name;     // "src", "wei", "bias", "src0", "scale", "srcs.0", "add"
  std::string element;  // "f32"
  std::vector<int64_t> dimensions;
  std::vector<float> values;

  size_t elements() const { return values.size(); }
};

/// The operands that a problem of a kind with back ends reads, filled with the same values in every process: from a
/// fixed sequence, small whole multiples of a power of two where that keeps products exact, and such that no function
/// leaves its domain (log and sqrt get positive ones, the variance of batchnorm is positive). Their order is that of
/// the fields, then bias, then what `post` adds. Empty for kinds that only a framework computes.
std::vector<PlainTensor> make_operands(const Problem& problem);

/// Dimensions of the result; empty where the problem is of no such kind.
std::vector<int64_t> result_dimensions(const Problem& problem);

/// The result at single positions (row-major index of the result), computed plainly in double: what every
/// implementation must come near. Empty where the kind is not one of the above.
std::vector<double> reference_values(const Problem& problem, const std::vector<PlainTensor>& operands,
                                     const std::vector<size_t>& positions);

/// How far a value may be from the reference, by type and length of the sums: |value − reference| ≤ absolute + relative
/// · |reference|.
struct Tolerance {
  double absolute;
  double relative;
};
Tolerance tolerance_of(const Problem& problem);

}  // namespace xsp::bound
