#pragma once

#include <string>
#include <string_view>

namespace xsp::analysis {

/// The bytes compressed by gzip; the same input gives the same output.
std::string gzip(std::string_view bytes, int level = 6);

}  // namespace xsp::analysis
