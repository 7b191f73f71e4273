#pragma once

#include <string>

#include "base/owned_fd.h"
#include "base/status.h"

namespace xsp::launch {

/// The folder that a variable of the environment names; empty where it names none by an absolute path.
std::string environment_folder(const char* variable);

/// A folder of mode 0700 for one run: the socket of the private collector and the scratch folder into which frameworks
/// write profiles of their own. Removed with its contents at the end, unless kept.
class PrivateFolder {
 public:
  PrivateFolder() = default;
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();

  /// In TMPDIR, /tmp or XDG_RUNTIME_DIR: the first that is writable and short enough for the path of a socket.
  Status create();

  /// Binds and listens, so that the command may connect as soon as it runs.
  Status listen(OwnedFd* listener) const;
  /// Listens on the abstract address of the same name (proto/socket_address.h), for processes that do not see the
  /// folder. Holds nothing where that is impossible.
  OwnedFd listen_beyond_folder() const;

  const std::string& path() const { return path_; }
  std::string socket_path() const { return path_ + "/collector"; }
  std::string scratch_path() const { return path_ + "/scratch"; }
  /// What --concurrency apply is to do.
  std::string policy_path() const { return path_ + "/threads"; }
  /// Where the collector's output goes: xsp-run speaks for both.
  std::string log_path() const { return path_ + "/collector.log"; }

  /// Removes it before the end of this object: for a process that is about to die by a signal.
  void remove_now();

  /// Keeps the folder: somebody still writes here (a collector that finishes in the background).
  void keep() { keep_ = true; }

 private:
  std::string path_;
  bool keep_ = false;
};

}  // namespace xsp::launch
