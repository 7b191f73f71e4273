#pragma once

#include <string>
#include <string_view>

namespace xsp::analysis {

/// The bytes as gzip has them, the same for the same input.
std::string gzip(std::string_view bytes, int level = 6);

}  // namespace xsp::analysis
