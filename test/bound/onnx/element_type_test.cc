#include "bound/onnx/element_type.h"

#include <cmath>

#include "analysis/trace/data_type.h"
#include "bound/onnx/small_float.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

constexpr int32_t kLastElement = static_cast<int32_t>(ElementType::kF6E3M2);

TEST_CASE("Element types have distinct names that lead back to them") {
  for (int32_t number = 1; number <= kLastElement; ++number) {
    const auto type = static_cast<ElementType>(number);
    CAPTURE(number);
    CHECK(name_of(type) != "?");
    CHECK(element_type_named(name_of(type)) == type);
  }
  CHECK(name_of(ElementType::kUndefined) == "?");
  CHECK(name_of(static_cast<ElementType>(kLastElement + 1)) == "?");
  CHECK(name_of(static_cast<ElementType>(-1)) == "?");
  CHECK_FALSE(element_type_named("?"));
  CHECK_FALSE(element_type_named("float"));
}

TEST_CASE("Elements have the sizes that traces give to their names") {
  for (int32_t number = 1; number <= kLastElement; ++number) {
    const auto type = static_cast<ElementType>(number);
    const double bytes = analysis::element_bytes(name_of(type));
    CAPTURE(name_of(type));
    if (bytes > 0) CHECK(bytes_of(type) == bytes);
  }
  CHECK(bytes_of(ElementType::kF32) == 4);
  CHECK(bytes_of(ElementType::kC128) == 16);
  CHECK(bytes_of(ElementType::kI4) == 0.5);
  CHECK(bytes_of(ElementType::kString) == 0);
  CHECK(bytes_of(ElementType::kUndefined) == 0);
}

TEST_CASE("Booleans count as whole numbers, complex numbers and fractions of a byte not as floating ones") {
  CHECK(is_integer(ElementType::kBool));
  CHECK(is_integer(ElementType::kU2));
  CHECK_FALSE(is_integer(ElementType::kF16));
  CHECK_FALSE(is_integer(ElementType::kString));
  CHECK(is_floating(ElementType::kF8E8M0));
  CHECK(is_floating(ElementType::kF64));
  CHECK_FALSE(is_floating(ElementType::kC64));
  CHECK_FALSE(is_floating(ElementType::kF4E2M1));
  CHECK_FALSE(is_floating(ElementType::kI32));
}

struct KnownPattern {
  ElementType type;
  uint64_t pattern;
  double number;
};

TEST_CASE("Small floats have the values of their formats") {
  // As the package ml_dtypes converts them.
  const KnownPattern known =
      GENERATE(KnownPattern{ElementType::kF16, 0x3c00, 1}, KnownPattern{ElementType::kF16, 0x0001, 0x1p-24},
               KnownPattern{ElementType::kF16, 0xfbff, -65504}, KnownPattern{ElementType::kF16, 0x7c00, INFINITY},
               KnownPattern{ElementType::kF16, 0, 0}, KnownPattern{ElementType::kBf16, 0x3fc0, 1.5},
               KnownPattern{ElementType::kBf16, 0x0001, 0x1p-133}, KnownPattern{ElementType::kBf16, 0xff80, -INFINITY},
               KnownPattern{ElementType::kF8E4M3, 0x01, 0.001953125}, KnownPattern{ElementType::kF8E4M3, 0x38, 1},
               KnownPattern{ElementType::kF8E4M3, 0x7e, 448}, KnownPattern{ElementType::kF8E4M3Fnuz, 0x38, 0.5},
               KnownPattern{ElementType::kF8E4M3Fnuz, 0xff, -240}, KnownPattern{ElementType::kF8E5M2, 0x38, 0.5},
               KnownPattern{ElementType::kF8E5M2, 0x7c, INFINITY}, KnownPattern{ElementType::kF8E5M2Fnuz, 0x7e, 49152},
               KnownPattern{ElementType::kF8E5M2Fnuz, 0x81, -7.62939453125e-06},
               KnownPattern{ElementType::kF8E8M0, 0x00, 0x1p-127}, KnownPattern{ElementType::kF8E8M0, 0x80, 2});
  CAPTURE(name_of(known.type), known.pattern);
  CHECK(number_of_pattern(known.type, known.pattern) == known.number);
  CHECK(pattern_of_number(known.type, known.number) == known.pattern);
}

TEST_CASE("Every pattern of a small float that is a number is written as it was read") {
  const auto [type, patterns, not_numbers] =
      GENERATE(std::tuple{ElementType::kF16, 65536, 2046}, std::tuple{ElementType::kBf16, 65536, 254},
               std::tuple{ElementType::kF8E4M3, 256, 2}, std::tuple{ElementType::kF8E4M3Fnuz, 256, 1},
               std::tuple{ElementType::kF8E5M2, 256, 6}, std::tuple{ElementType::kF8E5M2Fnuz, 256, 1},
               std::tuple{ElementType::kF8E8M0, 256, 1});
  CAPTURE(name_of(type));
  int differing = 0;
  int nans = 0;
  for (int pattern = 0; pattern < patterns; ++pattern) {
    const double number = number_of_pattern(type, static_cast<uint64_t>(pattern));
    const uint64_t written = pattern_of_number(type, number);
    if (std::isnan(number)) {
      ++nans;
      differing += std::isnan(number_of_pattern(type, written)) ? 0 : 1;
    } else {
      differing += written == static_cast<uint64_t>(pattern) ? 0 : 1;
    }
  }
  CHECK(differing == 0);
  CHECK(nans == not_numbers);
}

TEST_CASE("Numbers between those of a small float go to the nearer, of two to the even one") {
  CHECK(pattern_of_number(ElementType::kF16, 1 + 0x1p-11) == 0x3c00);
  CHECK(pattern_of_number(ElementType::kF16, 1 + 3 * 0x1p-11) == 0x3c02);
  CHECK(pattern_of_number(ElementType::kF16, 2 - 0x1p-12) == 0x4000);
  CHECK(pattern_of_number(ElementType::kF16, 1e6) == 0x7c00);
  CHECK(pattern_of_number(ElementType::kF16, 1e-30) == 0);
  CHECK(pattern_of_number(ElementType::kF8E4M3, -1e6) == 0xfe);
  CHECK(pattern_of_number(ElementType::kF8E4M3Fnuz, -1e-9) == 0);
}

}  // namespace
}  // namespace xsp::bound
