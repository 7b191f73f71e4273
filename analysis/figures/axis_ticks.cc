#include "analysis/figures/axis_ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xsp::analysis {

Ticks linear_ticks(double low, double high, size_t most, bool whole) {
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  if (!(high > low)) high = low + 1;
  const double rough = (high - low) / static_cast<double>(std::max<size_t>(most, 1));
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0}) {
    if (digit * power >= rough * (1 - 1e-9)) step = digit * power;
  }
  if (whole) step = std::max(step, 1.0);
  const auto first = static_cast<long>(std::floor(low / step + 1e-9));
  const auto last = static_cast<long>(std::ceil(high / step - 1e-9));
  Ticks ticks{static_cast<double>(first) * step, static_cast<double>(last) * step, {}};
  for (long i = first; i <= last; ++i) ticks.at.push_back(static_cast<double>(i) * step);
  return ticks;
}

Ticks logarithmic_ticks(double low, double high, double base) {
  if (!(low > 0)) low = high > 0 ? high : 1;
  if (!(high >= low)) high = low;
  const double scale = std::log(base);
  const auto first = static_cast<int>(std::floor(std::log(low) / scale + 1e-9));
  auto last = static_cast<int>(std::ceil(std::log(high) / scale - 1e-9));
  if (last == first) ++last;
  Ticks ticks{std::pow(base, first), std::pow(base, last), {}};
  const bool between = base == 10 && last - first <= 2;
  for (int power = first; power <= last; ++power) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (digit != 1 && (!between || power == last)) continue;
      ticks.at.push_back(digit * std::pow(base, power));
    }
  }
  return ticks;
}

std::string tick_label(double value) {
  if (std::abs(value) >= 1000 && std::abs(value) < 1e6) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value == 0 ? 0 : value);
}

}  // namespace xsp::analysis
