#pragma once

#include <unistd.h>

#include <utility>

namespace xsp {

/// A file descriptor with one owner.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  ~OwnedFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

/// The same file under a number above those of the standard streams, closed on exec. A program that was started without
/// one of them gets its number for the next file that it opens, and a child that is given this file as one stream would
/// lose it to another. Holds nothing, with errno, if `file` held nothing or no descriptor is left.
OwnedFd above_standard_streams(OwnedFd file);

/// A pipe, closed on exec, with both ends above the standard streams. False, with errno: none could be made.
bool open_pipe(OwnedFd* reader, OwnedFd* writer);

}  // namespace xsp
