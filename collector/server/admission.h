#pragma once

#include <cstddef>
#include <functional>

#include <sys/types.h>

#include "collector/recording/summary.h"
#include "collector/server/peer_permission.h"

namespace xsp {

/// Who may connect: by whose program it is, and by how many there are already.
class Admission {
 public:
  /// `summary` is told of who is refused.
  Admission(const PeerPermission& permission, Summary& summary);

  /// Whether one more may come beside `connections`.
  bool has_room(size_t connections) const { return connections < most_; }
  /// Whether the other end of `fd` may stay. `connections_of` counts those of a user.
  bool lets_in(int fd, const std::function<size_t(uid_t)>& connections_of) const;

 private:
  PeerPermission permission_;
  Summary& summary_;
  size_t most_;
};

}  // namespace xsp
