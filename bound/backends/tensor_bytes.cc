#include "bound/backends/tensor_bytes.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "bound/onnx/small_float.h"

namespace xsp::bound {
namespace {

/// Cut off at the ends of the type.
template <typename Element>
Element element_of(float value) {
  if constexpr (std::is_same_v<Element, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<Element>) {
    // The largest number of a wide type is no double, its successor is.
    const double rounded = std::nearbyint(value);
    if (!(rounded > static_cast<double>(std::numeric_limits<Element>::min())))
      return std::numeric_limits<Element>::min();
    if (rounded >= static_cast<double>(std::numeric_limits<Element>::max())) return std::numeric_limits<Element>::max();
    return static_cast<Element>(rounded);
  } else {
    return static_cast<Element>(value);
  }
}

/// Calls `visit` with an element of the C type; false where there is none.
template <typename Visit>
bool with_element(ElementType type, Visit visit) {
  switch (type) {
    case ElementType::kF32:
      visit(float{});
      return true;
    case ElementType::kF64:
      visit(double{});
      return true;
    case ElementType::kBool:
      visit(bool{});
      return true;
    case ElementType::kU8:
      visit(uint8_t{});
      return true;
    case ElementType::kI8:
      visit(int8_t{});
      return true;
    case ElementType::kU16:
      visit(uint16_t{});
      return true;
    case ElementType::kI16:
      visit(int16_t{});
      return true;
    case ElementType::kU32:
      visit(uint32_t{});
      return true;
    case ElementType::kI32:
      visit(int32_t{});
      return true;
    case ElementType::kU64:
      visit(uint64_t{});
      return true;
    case ElementType::kI64:
      visit(int64_t{});
      return true;
    default:
      return false;
  }
}

}  // namespace

bool has_plain_bytes(ElementType type) {
  return is_small_float(type) || with_element(type, [](auto) {});
}

void write_elements(std::span<const float> values, ElementType type, void* bytes) {
  if (type == ElementType::kF32) {
    if (!values.empty()) memcpy(bytes, values.data(), values.size_bytes());
    return;
  }
  auto* out = static_cast<char*>(bytes);
  if (is_small_float(type)) {
    const auto size = static_cast<size_t>(bytes_of(type));
    for (const float value : values) {
      const uint64_t pattern = pattern_of_number(type, value);
      memcpy(out, &pattern, size);  // little-endian
      out += size;
    }
    return;
  }
  with_element(type, [&]<typename Element>(Element) {
    for (const float value : values) {
      const auto element = element_of<Element>(value);
      memcpy(out, &element, sizeof element);
      out += sizeof element;
    }
  });
}

std::vector<float> read_elements(const void* bytes, size_t count, ElementType type) {
  std::vector<float> values;
  values.reserve(count);
  const auto* in = static_cast<const char*>(bytes);
  if (is_small_float(type)) {
    const auto size = static_cast<size_t>(bytes_of(type));
    for (size_t i = 0; i < count; ++i, in += size) {
      uint64_t pattern = 0;
      memcpy(&pattern, in, size);
      values.push_back(static_cast<float>(number_of_pattern(type, pattern)));
    }
    return values;
  }
  with_element(type, [&]<typename Element>(Element) {
    for (size_t i = 0; i < count; ++i, in += sizeof(Element)) {
      Element element;
      memcpy(&element, in, sizeof element);
      values.push_back(static_cast<float>(element));
    }
  });
  return values;
}

}  // namespace xsp::bound
