#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xsp::analysis {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

/// Appends a JSON string. `text` is valid UTF-8.
void append_json_string(std::string_view text, std::string* to);

/// Appends digits.
void append_integer(int64_t value, std::string* to);
void append_unsigned(uint64_t value, std::string* to);

/// Appends a JSON number in the shortest form that reads back exactly; null if it has no such form.
void append_number(double value, std::string* to);

/// Appends ns as microseconds, exactly: "1234.567", "12".
void append_microseconds(int64_t ns, std::string* to);

}  // namespace xsp::analysis
