#include "inject/launch/experiment/run_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/owned_fd.h"

namespace xsp::launch {
namespace {

bool is_kind(int fd, mode_t kind) {
  struct stat status = {};
  return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

void write_all(int fd, const char* bytes, ssize_t size) {
  for (ssize_t at = 0; at < size;) {
    const ssize_t written = write(fd, bytes + at, static_cast<size_t>(size - at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    at += written;
  }
}

void copy(const std::string& path, int target) {
  const OwnedFd source(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1 << 16> bytes;
  for (ssize_t size; source && (size = read(source.get(), bytes.data(), bytes.size())) > 0;) {
    write_all(target, bytes.data(), size);
  }
}

}  // namespace

std::string errors_beside(const std::string& log) { return log + ".stderr"; }

Status check_input(const std::string& file) {
  struct stat status = {};
  if (stat(file.c_str(), &status) != 0 || access(file.c_str(), R_OK) != 0) {
    return {fmt::format("--input: cannot read {} ({})", file, std::strerror(errno)),
            "name a file that can be read: --input FILE"};
  }
  if (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode)) return {};
  return {fmt::format("--input: {} is no file that every run can read from its begin", file),
          "write what is to be read into a file"};
}

RunStreams::RunStreams(const std::string& input_file) {
  if (!input_file.empty()) {
    input_ = input_file;
  } else if (is_kind(STDIN_FILENO, S_IFREG) && access(kOwnInput, R_OK) == 0) {
    input_ = kOwnInput;
  } else {
    leaves_input_out_ = isatty(STDIN_FILENO) != 0 || is_kind(STDIN_FILENO, S_IFIFO) || is_kind(STDIN_FILENO, S_IFSOCK);
  }
}

CommandStreams RunStreams::begin(const std::string& log) const {
  unlink(log.c_str());
  unlink(errors_beside(log).c_str());
  return {input_, log, errors_beside(log)};
}

void RunStreams::end(const std::string& log, bool show) {
  const std::string errors = errors_beside(log);
  if (show) {
    copy(log, STDOUT_FILENO);
    copy(errors, STDERR_FILENO);
  }
  const OwnedFd whole(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!whole) return;
  copy(errors, whole.get());
  unlink(errors.c_str());
}

}  // namespace xsp::launch
