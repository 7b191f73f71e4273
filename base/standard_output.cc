#include "base/standard_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace xsp {

Status print_text(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return Status{std::string("cannot write standard output (") + std::strerror(errno) + ")",
                    "send it to a terminal, or to a file on a disk with free space: > FILE"};
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return Status();
}

}  // namespace xsp
