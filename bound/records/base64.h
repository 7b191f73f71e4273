#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace xsp::bound {

/// RFC 4648, section 4, with padding.
std::string base64(std::string_view bytes);

/// Nothing for what base64() does not write.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace xsp::bound
