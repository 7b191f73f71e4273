#pragma once

#include <string>
#include <string_view>

namespace xsp::analysis {

/// Text or the value of a quoted attribute in SVG and HTML: valid UTF-8, markup escaped, control characters
/// as U+FFFD.
std::string svg_text(std::string_view text);

}  // namespace xsp::analysis
