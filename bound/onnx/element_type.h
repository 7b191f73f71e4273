#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xsp::bound {

/// TensorProto.DataType of the published schema (onnx.proto).
enum class ElementType : int32_t {
  kUndefined = 0,
  kF32 = 1,
  kU8 = 2,
  kI8 = 3,
  kU16 = 4,
  kI16 = 5,
  kI32 = 6,
  kI64 = 7,
  kString = 8,
  kBool = 9,
  kF16 = 10,
  kF64 = 11,
  kU32 = 12,
  kU64 = 13,
  kC64 = 14,
  kC128 = 15,
  kBf16 = 16,
  kF8E4M3 = 17,
  kF8E4M3Fnuz = 18,
  kF8E5M2 = 19,
  kF8E5M2Fnuz = 20,
  kU4 = 21,
  kI4 = 22,
  kF4E2M1 = 23,
  kF8E8M0 = 24,
  kU2 = 25,
  kI2 = 26,
  kF6E2M3 = 27,
  kF6E3M2 = 28,
};

/// "f32", "i64", "bool", "f8e4m3", as doc/import.md names them; "?" for kUndefined and numbers of later versions.
std::string_view name_of(ElementType type);

/// Nothing for an unknown name.
std::optional<ElementType> element_type_named(std::string_view name);

/// Bytes of an element, 0.5 for four bits, 16 for a pair of f64; 0 for strings and for what is unknown.
double bytes_of(ElementType type);

bool is_integer(ElementType type);   // whole numbers and booleans
bool is_floating(ElementType type);  // of 8 to 64 bits

}  // namespace xsp::bound
