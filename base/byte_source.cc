#include "base/byte_source.h"

#include <cerrno>

#include <unistd.h>

namespace xsp {

FileBytes::~FileBytes() { ::close(fd_); }

size_t FileBytes::read(char* to, size_t size) {
  ssize_t got;
  do {
    got = ::read(fd_, to, size);
  } while (got < 0 && errno == EINTR);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

}  // namespace xsp
