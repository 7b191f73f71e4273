#include <cstdlib>
#include <string_view>

#include "bound/database/database.h"

namespace xsp::bound {
namespace {

/// Only an absolute path counts, as the XDG Base Directory Specification says.
std::string absolute_folder(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

std::string default_database() {
  std::string folder = absolute_folder("XDG_DATA_HOME");
  if (folder.empty()) {
    folder = absolute_folder("HOME");
    if (folder.empty()) return "";
    folder += "/.local/share";
  }
  return folder + "/xsp/bounds.sqlite";
}

}  // namespace xsp::bound
