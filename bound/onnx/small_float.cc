#include "bound/onnx/small_float.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace xsp::bound {
namespace {

/// Which patterns are no finite numbers.
enum class Specials : uint8_t {
  kIeee,          // the largest exponent: infinity and NaN
  kLastIsNan,     // all bits set, whatever the sign
  kMinusZeroNan,  // the one that would be -0
};

struct SmallFloat {
  ElementType type;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;
  bool has_sign = true;

  bool has_zero() const { return mantissa_bits > 0; }
  uint64_t mantissas() const { return uint64_t{1} << mantissa_bits; }
  uint64_t exponents() const { return uint64_t{1} << exponent_bits; }
  uint64_t sign() const { return has_sign ? exponents() * mantissas() : 0; }
};

constexpr std::array kSmallFloats = {
    SmallFloat{ElementType::kF16, 5, 10, 15, Specials::kIeee},
    SmallFloat{ElementType::kBf16, 8, 7, 127, Specials::kIeee},
    SmallFloat{ElementType::kF8E4M3, 4, 3, 7, Specials::kLastIsNan},
    SmallFloat{ElementType::kF8E4M3Fnuz, 4, 3, 8, Specials::kMinusZeroNan},
    SmallFloat{ElementType::kF8E5M2, 5, 2, 15, Specials::kIeee},
    SmallFloat{ElementType::kF8E5M2Fnuz, 5, 2, 16, Specials::kMinusZeroNan},
    SmallFloat{ElementType::kF8E8M0, 8, 0, 127, Specials::kLastIsNan, false},
};

const SmallFloat* format_of(ElementType type) {
  const auto* const found = std::ranges::find(kSmallFloats, type, &SmallFloat::type);
  return found == kSmallFloats.end() ? nullptr : found;
}

uint64_t nan_of(const SmallFloat& format) {
  switch (format.specials) {
    case Specials::kIeee:
      return (format.exponents() - 1) * format.mantissas() + format.mantissas() / 2;
    case Specials::kLastIsNan:
      return format.exponents() * format.mantissas() - 1;
    case Specials::kMinusZeroNan:
      break;
  }
  return format.sign();
}

/// The pattern of the largest number, without its sign.
uint64_t largest_of(const SmallFloat& format) {
  const uint64_t last = format.exponents() * format.mantissas() - 1;
  switch (format.specials) {
    case Specials::kIeee:
      return last - format.mantissas();
    case Specials::kLastIsNan:
      return last - 1;
    case Specials::kMinusZeroNan:
      break;
  }
  return last;
}

}  // namespace

bool is_small_float(ElementType type) { return format_of(type) != nullptr; }

double number_of_pattern(ElementType type, uint64_t pattern) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const SmallFloat* const format = format_of(type);
  if (format == nullptr) return kNan;
  const bool is_negative = (pattern & format->sign()) != 0;
  const uint64_t magnitude = pattern % (format->exponents() * format->mantissas());
  if (magnitude > largest_of(*format)) {
    const bool is_infinity = format->specials == Specials::kIeee && magnitude % format->mantissas() == 0;
    if (!is_infinity) return kNan;
    return is_negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  if (format->specials == Specials::kMinusZeroNan && is_negative && magnitude == 0) return kNan;
  const auto exponent = static_cast<int>(magnitude / format->mantissas());
  const uint64_t fraction = magnitude % format->mantissas();
  const bool is_subnormal = exponent == 0 && format->has_zero();
  const double value = std::ldexp(static_cast<double>(is_subnormal ? fraction : fraction + format->mantissas()),
                                  (is_subnormal ? 1 : exponent) - format->bias - format->mantissa_bits);
  return is_negative ? -value : value;
}

uint64_t pattern_of_number(ElementType type, double number) {
  const SmallFloat* const format = format_of(type);
  if (format == nullptr) return 0;
  const bool is_negative = std::signbit(number);
  if (std::isnan(number) || (is_negative && !format->has_sign)) return nan_of(*format);
  const uint64_t sign = is_negative ? format->sign() : 0;
  if (std::isinf(number)) {
    return format->specials == Specials::kIeee ? sign + largest_of(*format) + 1 : nan_of(*format);
  }
  int exponent = 0;  // number = [0.5, 1) × 2^exponent
  (void)std::frexp(number, &exponent);
  const int least = (format->has_zero() ? 1 : 0) - format->bias;
  const int scale = number == 0 ? least : std::max(exponent - 1, least);
  // A magnitude that rounds up to the next power of two has the pattern of that, as patterns go on.
  const auto steps =
      static_cast<uint64_t>(std::nearbyint(std::ldexp(std::fabs(number), format->mantissa_bits - scale)));
  if (scale > static_cast<int>(format->exponents()) - format->bias) {
    return sign + largest_of(*format) + (format->specials == Specials::kIeee ? 1 : 0);
  }
  uint64_t magnitude = static_cast<uint64_t>(scale - least) * format->mantissas() + steps;
  if (!format->has_zero()) magnitude = magnitude > 0 ? magnitude - 1 : 0;
  if (magnitude > largest_of(*format)) {
    magnitude = largest_of(*format) + (format->specials == Specials::kIeee ? 1 : 0);
  }
  if (magnitude == 0 && format->specials == Specials::kMinusZeroNan) return 0;
  return sign + magnitude;
}

}  // namespace xsp::bound
