#pragma once

#include <cstdint>
#include <string_view>

namespace xsp::kineto {

/// Nanoseconds of a time in microseconds as JSON writes it, exact to the digit, rounded where there are digits beyond.
/// The number may stand in quotes. False: no number, or none that fits.
bool microseconds_to_ns(std::string_view text, int64_t* ns);

/// A whole number as JSON writes it, perhaps in quotes; decimals are cut off.
bool to_integer(std::string_view text, int64_t* value);

}  // namespace xsp::kineto
