#include "bound/backends/private_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace xsp::bound {

Status PrivateFolder::make(PrivateFolder* folder) {
  const char* const place = getenv("TMPDIR");
  std::string path = std::string(place == nullptr || *place == '\0' ? "/tmp" : place) + "/xsp-bound-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return {"cannot make a folder for temporary files: " + path + " (" + strerror(errno) + ")", "set TMPDIR"};
  }
  folder->path_ = path;
  return {};
}

PrivateFolder::~PrivateFolder() {
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

}  // namespace xsp::bound
