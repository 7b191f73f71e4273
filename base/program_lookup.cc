#include "base/program_lookup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace xsp {
namespace {

/// The kind is looked at as well: access() grants X_OK for folders too.
bool is_program(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? name : std::string();
  const char* variable = std::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "/bin:/usr/bin";
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    // An empty folder in PATH is the current one.
    const std::string folder = end == begin ? "." : path.substr(begin, end - begin);
    std::string candidate = folder + "/" + name;
    if (is_program(candidate)) return candidate;
    begin = end + 1;
  }
  return {};
}

}  // namespace xsp
