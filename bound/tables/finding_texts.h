#pragma once

#include <string>

namespace xsp::bound {

/// "9.2 %", "43 %" of a share of 0 to 1.
std::string percent(double share);
/// "43.86 ms", "38.93 µs".
std::string duration(double ms);
/// "1.8", "12" of a factor.
std::string times_text(double factor);

}  // namespace xsp::bound
