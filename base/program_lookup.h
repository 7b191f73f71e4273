#pragma once

#include <string>

namespace xsp {

/// The file that exec would take for `name`: `name` itself if it has a slash, else from PATH. Empty: none.
std::string find_program(const std::string& name);

}  // namespace xsp
