#include "base/quantity_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xsp {

std::string four_digits(double value) {
  if (value == 0) return "0";
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  if (magnitude < -6 || magnitude > 15) return fmt::format("{:.3e}", value);
  return fmt::format("{:.{}f}", value, std::clamp(3 - magnitude, 0, 9));
}

std::string plural(size_t count, std::string_view noun) {
  const std::string_view ending = count == 1 ? "" : noun.ends_with("s") || noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", count, noun, ending);
}

}  // namespace xsp
