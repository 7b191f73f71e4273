#include "collector/scratch_folder.h"

#include <filesystem>
#include <system_error>

namespace xsp {

void empty_folder(const std::string& path) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;  // what cannot be removed stays
    std::filesystem::remove_all(entry->path(), ignored);
  }
}

}  // namespace xsp
