#include "collector/server/peer_permission.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <sstream>

#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_PEERGROUPS
// Missing from old headers.
#define SO_PEERGROUPS 59
#endif

namespace xsp {
namespace {

template <typename Id>
bool read_number(const std::string& text, Id* id) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), *id);
  return failed == std::errc() && end == text.data() + text.size();
}

/// The supplementary groups of the other end.
std::vector<gid_t> groups_of(int fd) {
  std::vector<gid_t> groups(64);
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    const int failed = ::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
    if (failed != 0 && errno != ERANGE) return {};
    // On ERANGE the kernel has stored how many bytes it needs: the second attempt has enough room.
    groups.resize(bytes / sizeof(gid_t));
    if (failed == 0) return groups;
  }
  return {};
}

}  // namespace

Status PeerPermission::allow_users(const std::string& names) {
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    uid_t user = 0;
    if (!read_number(name, &user)) {
      const passwd* entry = name.empty() ? nullptr : ::getpwnam(name.c_str());
      if (entry == nullptr)
        return Status{"--allow-users: there is no user \"" + name + "\"", "list the users: getent passwd"};
      user = entry->pw_uid;
    }
    users_.push_back(user);
  }
  return users_.empty() ? Status{"--allow-users: nobody is named", "for example --allow-users alice,bob"} : Status();
}

Status PeerPermission::allow_group(const std::string& name) {
  gid_t group = 0;
  if (!read_number(name, &group)) {
    const ::group* entry = name.empty() ? nullptr : ::getgrnam(name.c_str());
    if (entry == nullptr)
      return Status{"--allow-group: there is no group \"" + name + "\"", "list the groups: getent group"};
    group = entry->gr_gid;
  }
  groups_.push_back(group);
  return Status();
}

bool PeerPermission::lets_in(int fd) const {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  if (all_ || peer.uid == ::geteuid()) return true;
  if (std::find(users_.begin(), users_.end(), peer.uid) != users_.end()) return true;
  if (groups_.empty()) return false;
  std::vector<gid_t> theirs = groups_of(fd);
  theirs.push_back(peer.gid);
  return std::find_first_of(theirs.begin(), theirs.end(), groups_.begin(), groups_.end()) != theirs.end();
}

}  // namespace xsp
