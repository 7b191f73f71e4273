#include "collector/server/listening_socket.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace xsp {
namespace {

Status error(const std::string& what, int number) { return Status{what + " (" + std::strerror(number) + ")"}; }

// A socket file whose listener is gone refuses connections; with a full backlog it gives EAGAIN and is not stale.
bool is_stale(const sockaddr_un& address) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  const bool refused =
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno == ECONNREFUSED;
  ::close(fd);
  return refused;
}

}  // namespace

ListeningSocket::~ListeningSocket() {
  if (fd_ >= 0) ::close(fd_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

Status ListeningSocket::bind(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return error("cannot listen on " + path, ENAMETOOLONG);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);

  // A regular file refuses connections just like a stale socket, and must not be removed as one.
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0 && !S_ISSOCK(found.st_mode)) {
    return Status{"cannot listen on " + path + " (it is there and is no socket)"};
  }

  fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return error("cannot create a socket", errno);
  // The mode is set before the name exists, so that at no moment may others connect.
  if (::fchmod(fd_, 0600) != 0) return error("cannot set the mode of " + path, errno);
  int failed = ::bind(fd_, generic, sizeof address);
  const bool is_used = failed != 0 && errno == EADDRINUSE;
  if (failed != 0 && errno == EADDRINUSE && is_stale(address) && ::unlink(path.c_str()) == 0) {
    failed = ::bind(fd_, generic, sizeof address);
  }
  if (failed != 0) {
    Status status = error("cannot listen on " + path, errno);
    if (is_used) status.hint = "another xsp-collector listens there: end it, or name another path";
    return status;
  }
  path_ = path;
  if (::chmod(path.c_str(), 0600) != 0) return error("cannot set the mode of " + path, errno);
  if (::listen(fd_, SOMAXCONN) != 0) return error("cannot listen on " + path, errno);
  return Status();
}

Status ListeningSocket::adopt(int fd) {
  int listening = 0;
  socklen_t size = sizeof listening;
  if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || listening == 0) {
    return Status{"descriptor " + std::to_string(fd) + " is no listening socket"};
  }
  fd_ = fd;
  // Whoever passed the socket on may have set neither flag.
  ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
  ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_NONBLOCK);
  return Status();
}

std::string ListeningSocket::path_of(int fd) {
  sockaddr_un address{};
  socklen_t size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 || address.sun_family != AF_UNIX) return {};
  if (size <= offsetof(sockaddr_un, sun_path) || address.sun_path[0] != '/') return {};
  return {address.sun_path, ::strnlen(address.sun_path, size - offsetof(sockaddr_un, sun_path))};
}

int ListeningSocket::accept() {
  int fd;
  do {
    fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  } while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
  return fd;
}

}  // namespace xsp
