#pragma once

#include <string>
#include <string_view>

namespace xsp::analysis {

/// What a file that is no XSP trace looks like by its first bytes ("JSON", "a gzip file", …); empty when unknown.
std::string guess_file_kind(std::string_view head);

}  // namespace xsp::analysis
