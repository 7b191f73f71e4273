#include "bound/records/measurement.h"

#include <array>
#include <cstddef>

namespace xsp::bound {
namespace {

constexpr std::array<std::string_view, 3> kNumericsNames{"exact", "transform", "reduced"};
constexpr std::array<std::string_view, 5> kStatusNames{"ok", "unsupported", "error", "timeout", "imported"};

template <typename Value, size_t kCount>
std::optional<Value> value_named(const std::array<std::string_view, kCount>& names, std::string_view name) {
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] == name) return static_cast<Value>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Numerics numerics) { return kNumericsNames[static_cast<size_t>(numerics)]; }

std::optional<Numerics> numerics_named(std::string_view name) { return value_named<Numerics>(kNumericsNames, name); }

std::string_view name_of(BenchmarkStatus status) { return kStatusNames[static_cast<size_t>(status)]; }

std::optional<BenchmarkStatus> status_named(std::string_view name) {
  return value_named<BenchmarkStatus>(kStatusNames, name);
}

}  // namespace xsp::bound
