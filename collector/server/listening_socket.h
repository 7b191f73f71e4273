#pragma once

#include <string>

#include "base/status.h"

namespace xsp {

/// A Unix socket that accepts connections. One bound here has mode 0600, and its path is removed at the end.
class ListeningSocket {
 public:
  ListeningSocket() = default;
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  /// Binds `path` and listens. A socket that nobody listens on is replaced.
  Status bind(const std::string& path);
  /// Takes over a listening socket.
  Status adopt(int fd);

  /// Where in the file system a socket listens; empty: nowhere.
  static std::string path_of(int fd);

  /// Accepts one connection, non-blocking; -1 when none waits.
  int accept();
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
  std::string path_;
};

}  // namespace xsp
