#include "collector/server/admission.h"

#include <algorithm>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/messages/peer_limits.h"

namespace xsp {
namespace {

/// A peer takes two descriptors: its socket, and its memory, which arrives with the first bytes. With room for the
/// socket only, the memory would be lost.
size_t most_peers() {
  // Reserved for the collector itself: its output, log and event loop, and the files it reads.
  constexpr rlim_t kOwnDescriptors = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kMaxPeers;
  const rlim_t left = limit.rlim_cur > kOwnDescriptors ? (limit.rlim_cur - kOwnDescriptors) / 2 : 1;
  return std::clamp<size_t>(left, 1, kMaxPeers);
}

}  // namespace

Admission::Admission(const PeerPermission& permission, Recording& recording)
    : permission_(permission), recording_(recording), most_(most_peers()) {}

bool Admission::lets_in(int fd, const std::function<size_t(uid_t)>& connections_of) const {
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool is_known = ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  if (!permission_.lets_in(fd)) {
    recording_.unrecorded.refuse(peer.uid, peer.pid);
    return false;
  }
  // Every other user may have only a share, which leaves room for the rest and for the collector's own user.
  if (!is_known || peer.uid == ::geteuid()) return true;
  if (connections_of(peer.uid) < std::max<size_t>(1, most_ / kShareOfUser)) return true;
  recording_.summary.add_notice(Severity::kWarning, "collector",
                                "a connection was refused, because its user has a quarter of all there can be");
  return false;
}

}  // namespace xsp
