#include "bound/tables/finding_texts.h"

#include <fmt/format.h>

#include "base/quantity_text.h"

namespace xsp::bound {

std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0); }

std::string duration(double ms) {
  constexpr double kMicroseconds = 0.1;  // below so many ms
  return ms < kMicroseconds ? four_digits(ms * 1e3) + " µs" : four_digits(ms) + " ms";
}

}  // namespace xsp::bound
