#pragma once

#include <string>
#include <string_view>

namespace xsp {

/// `text` with every byte that is not part of well-formed UTF-8 replaced by '?': proto3 readers refuse a whole packet
/// for one bad `string`.
std::string valid_utf8(std::string_view text);

/// Text of an input, a client or an argument as a terminal can show it: what is no UTF-8, control characters (C1 too)
/// and marks that turn the direction of text become "?".
std::string printable_text(std::string_view text);

}  // namespace xsp
