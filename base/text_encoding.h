#pragma once

#include <string>
#include <string_view>

namespace xsp {

/// Makes recorded text safe for a terminal: control characters and bytes that are not UTF-8 become \xNN escapes
/// (\n, \t, \r for those), so that a name cannot move the cursor or break a row.
std::string printable(std::string_view text);

/// The same on one line of a message, where \n, \t and \r become \xNN too: the reader sees which bytes they were.
std::string terminal_text(std::string_view text);

/// As printable(), for text of several lines, whose line ends stay.
std::string printable_lines(std::string_view text);

/// Text of an input, a client or an argument in one line of a message: what printable() escapes becomes "?".
std::string message_text(std::string_view text);

/// Valid UTF-8: bytes that are not become U+FFFD.
std::string valid_utf8(std::string_view text);

/// Text as a trace may carry it: bytes that are not UTF-8 become "?", so that it gets no longer. Readers of proto3
/// refuse a whole packet for one bad `string`.
std::string trace_text(std::string_view text);

/// Columns that printable text takes on a terminal: two for each wide character (of East Asian scripts, emoji), none
/// for a combining one, as wcwidth() knows them in the C.UTF-8 locale; where the machine has none, one for each.
size_t display_width(std::string_view text);

/// At most `width` columns of printable text (0: all of it), cut in the middle ("layer4.2.…conv3").
std::string shorten(std::string_view text, size_t width, std::string_view ellipsis = "…");

}  // namespace xsp
