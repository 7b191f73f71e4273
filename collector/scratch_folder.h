#pragma once

#include <string>

namespace xsp {

/// Removes everything inside a folder, not the folder itself, and follows no links out of it.
void empty_folder(const std::string& path);

}  // namespace xsp
