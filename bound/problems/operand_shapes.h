#pragma once

#include <string>
#include <vector>

#include "bound/problems/geometry.h"
#include "bound/problems/problem.h"

namespace xsp::bound {

/// From what an operand's values are taken.
enum class ValueRange {
  kCoarse,        // quarters within ±2: products and their sums are exact in f32
  kWeight,        // quarters within ±1
  kFine,          // sixteenths within ±8: far enough for every bound that an activation may have
  kPositive,      // sixteenths up to 16
  kNotZero,       // quarters within ±2 but 0
  kDivisor,       // quarters up to 4
  kSign,          // 1 and −1
  kSparse,        // mostly 0, some 1: sums stay within bytes, else saturation would hide every mistake
  kSparseSign,    // the same with −1
  kTwoValues,     // 0 and 1
  kCount,         // whole numbers 0 to 7
  kPositiveCount  // whole numbers 1 to 4
};

struct OperandShape {
  std::string name;
  std::string element;
  Dimensions dimensions;
  ValueRange range = ValueRange::kCoarse;
};

/// The operands of a problem in their order; empty for kinds without back ends and fields that do not fit together.
std::vector<OperandShape> operand_shapes(const Problem& problem);

/// How values of a type lie in memory: tf32 is what a product makes of f32, all else itself.
std::string stored_type(std::string element);

/// "i8", "u4", "bool": what holds no fractions.
bool is_whole(std::string_view element);

/// Least and largest whole number of such a type, for types of up to 32 bits; wider ones have no limits here.
struct WholeLimits {
  double least, largest;
};
WholeLimits whole_limits(std::string_view element);

}  // namespace xsp::bound
