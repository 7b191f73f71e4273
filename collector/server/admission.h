#pragma once

#include <cstddef>
#include <functional>

#include <sys/types.h>

#include "collector/recording/recording.h"
#include "collector/server/peer_permission.h"

namespace xsp {

/// Decides who may connect, by whose program it is and how many connections there are.
class Admission {
 public:
  /// `recording` is told about those refused.
  Admission(const PeerPermission& permission, Recording& recording);

  /// Whether there is room for one more connection.
  bool has_room(size_t connections) const { return connections < most_; }
  /// Whether the other end of `fd` may stay. `connections_of` counts the connections of a user.
  bool lets_in(int fd, const std::function<size_t(uid_t)>& connections_of) const;

 private:
  PeerPermission permission_;
  Recording& recording_;
  size_t most_;
};

}  // namespace xsp
