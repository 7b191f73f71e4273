#ifndef XSP_TEST_FAKE_CUDA_NUMBERS_H
#define XSP_TEST_FAKE_CUDA_NUMBERS_H

/* Elements of cudaDataType as numbers, for the stand-ins that compute. Needs -lm. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { kTypeF32 = 0, kTypeF64 = 1, kTypeF16 = 2, kTypeI8 = 3, kTypeI32 = 10, kTypeBf16 = 14, kTypeF8E4M3 = 28 };

__attribute__((unused)) static size_t bytes_of_type(int type) {
  switch (type) {
    case kTypeF64:
      return 8;
    case kTypeF16:
    case kTypeBf16:
      return 2;
    case kTypeI8:
    case kTypeF8E4M3:
      return 1;
    default:
      return 4;
  }
}

/* Floating point of a sign, `exponent` and `mantissa` bits, without infinity: what is too large becomes the largest.
 * f8e4m3 has only one NaN a sign, so that its largest number is 448. */
typedef struct {
  int exponent, mantissa;
  double largest;
} small_format;
static const small_format kHalf = {5, 10, 65504}, kBrain = {8, 7, 0x1.FEp127}, kEighth = {4, 3, 448};

static double small_number(small_format format, uint32_t bits) {
  const int bias = (1 << (format.exponent - 1)) - 1;
  const int exponent = (int)(bits >> format.mantissa) & ((1 << format.exponent) - 1);
  const double fraction = (double)(bits & ((1U << format.mantissa) - 1));
  const double scale = (double)(1U << format.mantissa);
  const double size = exponent == 0 ? ldexp(fraction / scale, 1 - bias) : ldexp(1 + fraction / scale, exponent - bias);
  return bits >> (format.exponent + format.mantissa) & 1 ? -size : size;
}

static uint32_t small_bits(small_format format, double value) {
  const int bias = (1 << (format.exponent - 1)) - 1;
  const uint32_t sign = (uint32_t)(signbit(value) != 0) << (format.exponent + format.mantissa);
  const double size = fmin(fabs(value), format.largest);
  int exponent = 0;
  if (size == 0) return sign;
  frexp(size, &exponent);
  exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
  /* In units of the last place; what is rounded up to the next power of two carries into the exponent by itself. */
  const double units = rint(ldexp(size, format.mantissa - exponent));
  const int64_t biased = exponent + bias - 1;
  return sign | (uint32_t)((biased << format.mantissa) + (int64_t)units);
}

__attribute__((unused)) static double read_number(int type, const void* from, int64_t index) {
  const char* at = (const char*)from + index * (int64_t)bytes_of_type(type);
  double f64;
  float f32;
  int32_t i32;
  uint16_t two;
  switch (type) {
    case kTypeF64:
      memcpy(&f64, at, 8);
      return f64;
    case kTypeI8:
      return *(const int8_t*)at;
    case kTypeI32:
      memcpy(&i32, at, 4);
      return i32;
    case kTypeF16:
    case kTypeBf16:
      memcpy(&two, at, 2);
      return small_number(type == kTypeF16 ? kHalf : kBrain, two);
    case kTypeF8E4M3:
      return small_number(kEighth, *(const uint8_t*)at);
    default:
      memcpy(&f32, at, 4);
      return f32;
  }
}

__attribute__((unused)) static void write_number(int type, void* to, int64_t index, double value) {
  char* at = (char*)to + index * (int64_t)bytes_of_type(type);
  const float f32 = (float)value;
  int32_t i32;
  uint16_t two;
  switch (type) {
    case kTypeF64:
      memcpy(at, &value, 8);
      return;
    case kTypeI8:
      *(int8_t*)at = (int8_t)fmax(-128, fmin(127, rint(value)));
      return;
    case kTypeI32:
      i32 = (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, rint(value)));
      memcpy(at, &i32, 4);
      return;
    case kTypeF16:
    case kTypeBf16:
      two = (uint16_t)small_bits(type == kTypeF16 ? kHalf : kBrain, value);
      memcpy(at, &two, 2);
      return;
    case kTypeF8E4M3:
      *(uint8_t*)at = (uint8_t)small_bits(kEighth, value);
      return;
    default:
      memcpy(at, &f32, 4);
  }
}

#endif
