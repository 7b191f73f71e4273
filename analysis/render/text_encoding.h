#pragma once

#include <string>
#include <string_view>

namespace xsp::analysis {

/// Makes recorded text safe for a terminal: control characters and bytes that are not UTF-8 become \xNN escapes
/// (\n, \t, \r for those), so that a name cannot move the cursor or break a row.
std::string printable(std::string_view text);

/// Valid UTF-8: bytes that are not become U+FFFD.
std::string valid_utf8(std::string_view text);

/// Columns that printable text takes on a terminal, one for each code point.
size_t display_width(std::string_view text);

/// At most `width` columns of printable text, cut in the middle ("layer4.2.…conv3").
std::string shorten(std::string_view text, size_t width);

}  // namespace xsp::analysis
