#pragma once

#include <string_view>

namespace xsp::analysis {

/// The last part of a path.
inline std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace xsp::analysis
