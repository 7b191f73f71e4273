#pragma once

#include <string>
#include <vector>

namespace xsp {

/// A command as a shell takes it: words in quotes where they need them.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace xsp
