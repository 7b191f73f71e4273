#include "bound/tables/finding_texts.h"

#include <fmt/format.h>

#include "base/quantity_text.h"

namespace xsp::bound {

std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0); }

std::string duration(double ms) {
  constexpr double kMicroseconds = 0.1;  // below so many ms
  return ms < kMicroseconds ? four_digits(ms * 1e3) + " µs" : four_digits(ms) + " ms";
}

std::string times_text(double factor) {
  constexpr double kWhole = 9.95;  // from here on
  // Near 1 two places tell whether it is more or less.
  return fmt::format("{:.{}f}", factor, factor >= kWhole ? 0 : factor > 0.95 && factor < 1.05 ? 2 : 1);
}

}  // namespace xsp::bound
