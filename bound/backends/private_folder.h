#pragma once

#include <string>

#include "base/status.h"

namespace xsp::bound {

/// A folder for files of this process alone, below $TMPDIR or /tmp, that goes with all that is in it.
class PrivateFolder {
 public:
  static Status make(PrivateFolder* folder);

  PrivateFolder() = default;
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace xsp::bound
