#pragma once

#include <cstddef>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>

namespace xsp {

/// Where a collector listens, as bind() and connect() take it.
struct SocketAddress {
  sockaddr_un address{};
  socklen_t length = 0;

  const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&address); }
};

/// The socket at `path`, which must be shorter than sun_path.
inline SocketAddress path_address(const char* path) {
  SocketAddress at;
  at.address.sun_family = AF_UNIX;
  std::memcpy(at.address.sun_path, path, strnlen(path, sizeof at.address.sun_path - 1));
  at.length = sizeof at.address;
  return at;
}

/// The second address of the collector of xsp-run at `path`: of the same name, but in the network namespace and not in
/// the file system. A process that does not see the folder of the run, because it has other mounts or is another
/// user's, still reaches the collector there. Anybody else does, too, so that both ends look at the other's
/// credentials.
inline SocketAddress abstract_address(const char* path) {
  SocketAddress at;
  at.address.sun_family = AF_UNIX;
  const size_t length = strnlen(path, sizeof at.address.sun_path - 1);
  std::memcpy(at.address.sun_path + 1, path, length);
  at.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return at;
}

}  // namespace xsp
