#include "analysis/trace/data_type.h"

#include <array>

namespace xsp::analysis {
namespace {

constexpr std::array<std::string_view, kDataTypes> kNames = {
    "",           "f64",         "f32",       "f16",       "bf16",      "i32", "f64 tensor", "tf32 tensor",
    "f16 tensor", "bf16 tensor", "f8 tensor", "i8 tensor", "f4 tensor",
};

struct Element {
  std::string_view name;
  double bytes;
};

/// The names of doc/import.md, and those of other libraries that stand in arguments of their calls.
constexpr Element kElements[] = {
    {"f32", 4},    {"f16", 2},    {"bf16", 2},     {"f64", 8},    {"i64", 8},       {"i32", 4},
    {"i16", 2},    {"i8", 1},     {"u8", 1},       {"bool", 1},   {"c64", 8},       {"c128", 16},
    {"f8e4m3", 1}, {"f8e5m2", 1}, {"c32", 4},      {"u16", 2},    {"u32", 4},       {"u64", 8},
    {"i4", 0.5},   {"u4", 0.5},   {"f4e2m1", 0.5}, {"f8e8m0", 1}, {"f6e2m3", 0.75}, {"f6e3m2", 0.75},
};

}  // namespace

std::string_view name_of(DataType type) {
  const auto index = static_cast<size_t>(type);
  return index < kNames.size() ? kNames[index] : std::string_view();
}

double element_bytes(std::string_view element) {
  for (const Element& known : kElements) {
    if (known.name == element) return known.bytes;
  }
  return 0;
}

}  // namespace xsp::analysis
