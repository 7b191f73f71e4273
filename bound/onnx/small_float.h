#pragma once

#include <cstdint>

#include "bound/onnx/element_type.h"

namespace xsp::bound {

/// Floating point of 8 or 16 bits: f16, bf16 and the five kinds of f8.
bool is_small_float(ElementType type);

/// The number that a bit pattern stands for. Only for small floats, as below.
double number_of_pattern(ElementType type, uint64_t pattern);

/// The pattern of the nearest number, of two the even one. What is too large becomes infinity or, in a format without
/// one, the largest number; what a format cannot tell (a negative number in f8e8m0, infinity) becomes NaN.
uint64_t pattern_of_number(ElementType type, double number);

}  // namespace xsp::bound
