#include "inject/launch/options/time_span.h"

#include <charconv>

namespace xsp::launch {
namespace {

struct Unit {
  std::string_view name;
  double nanoseconds;
};

constexpr Unit kUnits[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"m", 60e9}, {"h", 3600e9}};
constexpr double kYear = 366 * 24 * 3600e9;

}  // namespace

std::optional<uint64_t> parse_time_span(std::string_view text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  const std::string_view name(rest, static_cast<size_t>(text.data() + text.size() - rest));
  for (const Unit& unit : kUnits) {
    const double nanoseconds = number * unit.nanoseconds;
    if (unit.name == name && nanoseconds >= 0 && nanoseconds <= kYear) return static_cast<uint64_t>(nanoseconds);
  }
  return std::nullopt;
}

}  // namespace xsp::launch
