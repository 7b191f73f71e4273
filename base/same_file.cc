#include "base/same_file.h"

#include <filesystem>
#include <system_error>

namespace xsp {

namespace fs = std::filesystem;

bool is_same_file(const std::string& path, const std::string& other) {
  if (path.empty() || other.empty()) return false;
  std::error_code error;
  const fs::file_status found = fs::status(path, error);
  if (fs::exists(found) && !fs::is_regular_file(found)) return false;
  if (fs::equivalent(path, other, error)) return true;
  return fs::absolute(path, error).lexically_normal() == fs::absolute(other, error).lexically_normal();
}

}  // namespace xsp
