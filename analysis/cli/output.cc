#include "analysis/cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace xsp::analysis {

Status write_output(const std::string& path, std::string_view text, bool* broken_pipe) {
  const std::string name = path.empty() ? "standard output" : path;
  const auto failed = [&] { return Status{"cannot write " + name + " (" + std::strerror(errno) + ")", ""}; };
  const int descriptor =
      path.empty() ? STDOUT_FILENO : open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return failed();
  Status status;
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      *broken_pipe = errno == EPIPE;
      status = failed();
      break;
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  // Some file systems report a full disk only here.
  if (descriptor != STDOUT_FILENO && close(descriptor) != 0 && status.ok()) status = failed();
  return status;
}

}  // namespace xsp::analysis
