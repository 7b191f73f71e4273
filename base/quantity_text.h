#pragma once

#include <string>

namespace xsp {

/// "12.35", "0.001235", "123457": four significant digits, without an exponent where that stays readable.
std::string four_digits(double value);

}  // namespace xsp
