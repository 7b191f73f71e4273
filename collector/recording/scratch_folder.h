#pragma once

#include <string>
#include <vector>

namespace xsp {

/// The folder into which frameworks write profiles for the collector. Clients name the files, and may name any path:
/// only files in this very folder, identified by device and inode, not by spelling, are listed or removed.
class ScratchFolder {
 public:
  /// With an empty path there is no folder, and nothing is ever removed.
  explicit ScratchFolder(std::string path = {}) : path_(std::move(path)) {}

  /// Whether `file` lies directly in the folder, which may have been created meanwhile.
  bool holds(const std::string& file) const;
  /// Removes a file that lies directly in the folder; for a link, the link itself. Anything else stays.
  void remove(const std::string& file) const;
  /// The targets of the folder's links whose names begin with `prefix`. The links are removed. At most 4096 are read.
  std::vector<std::string> take_notes(const std::string& prefix) const;
  /// Removes everything in the folder, following no links; the folder itself stays.
  void empty() const;

 private:
  int open_folder_of(const std::string& file) const;

  std::string path_;
};

}  // namespace xsp
