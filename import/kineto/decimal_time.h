#pragma once

#include <cstdint>
#include <string_view>

namespace xsp::kineto {

/// Converts a time in microseconds, as JSON writes it, to nanoseconds, exact to the digit; digits beyond are rounded.
/// The number may be quoted. False: not a number, or one that does not fit.
bool microseconds_to_ns(std::string_view text, int64_t* ns);

/// A whole number as JSON writes it, possibly quoted; decimals are cut off.
bool to_integer(std::string_view text, int64_t* value);

}  // namespace xsp::kineto
