#pragma once

#include <cstddef>
#include <functional>

#include <sys/types.h>

#include "collector/recording/summary.h"
#include "collector/server/peer_permission.h"

namespace xsp {

/// Who may connect: depends on whose program it is, and on how many connections there are.
class Admission {
 public:
  /// `summary` gets a notice about those that are refused.
  Admission(const PeerPermission& permission, Summary& summary);

  /// Whether there is room for one more than `connections`.
  bool has_room(size_t connections) const { return connections < most_; }
  /// Whether the other end of `fd` may stay. `connections_of` counts those of a user.
  bool lets_in(int fd, const std::function<size_t(uid_t)>& connections_of) const;

 private:
  PeerPermission permission_;
  Summary& summary_;
  size_t most_;
};

}  // namespace xsp
