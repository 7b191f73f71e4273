#pragma once

#include <string>
#include <string_view>

namespace xsp {

/// `text` with every byte that is not part of well-formed UTF-8 replaced by '?': proto3 readers refuse a whole packet
/// for one bad `string`.
std::string valid_utf8(std::string_view text);

}  // namespace xsp
