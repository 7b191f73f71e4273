#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/status.h"

namespace xsp::bound {

/// A folder for files of its owner alone, below $TMPDIR or /tmp, that goes with all that is in it.
class PrivateFolder {
 public:
  static Status make(PrivateFolder* folder) {
    const char* const place = getenv("TMPDIR");
    std::string path = std::string(place == nullptr || *place == '\0' ? "/tmp" : place) + "/xsp-bound-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) {
      return {"cannot make a folder for temporary files: " + path + " (" + strerror(errno) + ")", "set TMPDIR"};
    }
    folder->path_ = path;
    return {};
  }

  PrivateFolder() = default;
  ~PrivateFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  /// Empty where none was made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace xsp::bound
