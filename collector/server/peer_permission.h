#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/status.h"

namespace xsp {

/// Whose programs may send. The collector's own user always may.
class PeerPermission {
 public:
  /// Admits users by name or number, separated by commas.
  Status allow_users(const std::string& names);
  /// Admits the members of a group, by name or number.
  Status allow_group(const std::string& name);
  void allow_all() { all_ = true; }

  /// Whether the other end of a connected Unix socket may send, according to the kernel.
  bool lets_in(int fd) const;

 private:
  bool all_ = false;
  std::vector<uid_t> users_;
  std::vector<gid_t> groups_;
};

}  // namespace xsp
