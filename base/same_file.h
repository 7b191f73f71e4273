#pragma once

#include <string>

namespace xsp {

/// Whether what is written to one path would end up in the file of the other one: the same file by whatever names, or
/// one that does not exist yet. Devices and pipes may be named twice. No path: of no file.
bool is_same_file(const std::string& path, const std::string& other);

}  // namespace xsp
