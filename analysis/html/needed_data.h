#pragma once

#include <string>
#include <string_view>

namespace xsp::analysis {

/// What a table without rows needs and which command records it: "layers, which xsp-run -- COMMAND records"; empty
/// where no more data would help.
std::string needed_data(std::string_view table);

}  // namespace xsp::analysis
