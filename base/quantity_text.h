#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace xsp {

/// "12.35", "0.001235", "123457": four significant digits, without an exponent where that stays readable.
std::string four_digits(double value);

/// "1 row", "2 rows", "0 rows"; "2 processes", "2 batches".
std::string plural(size_t count, std::string_view noun);

}  // namespace xsp
