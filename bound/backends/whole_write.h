#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace xsp::bound {

/// Writes all of it, in as many pieces as it takes. False, with errno: not all could be written.
inline bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace xsp::bound
