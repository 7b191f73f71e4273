#include "analysis/export/byte_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/output_target.h"

namespace xsp::analysis {

ByteSink::ByteSink(std::string path) : path_(std::move(path)) {
  buffer_.reserve(kBufferBytes);
  if (path_ == "-") {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  OutputTarget target;
  if (status_ = find_output_target(path_, &target); !status_.ok()) return;
  if (target.kind == OutputTarget::Kind::kStream) {
    descriptor_ = open(target.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } else {
    file_ = target.path;
    // Created anew, so that nothing is written through a link left there by others; leftovers of a killed run go.
    const std::string partial = file_ + ".partial";
    unlink(partial.c_str());
    descriptor_ = open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) partial_ = partial;
  }
  if (descriptor_ < 0) fail("create");
}

ByteSink::~ByteSink() { abandon(); }

void ByteSink::fail(const char* doing) {
  if (!status_.ok()) return;
  broken_pipe_ = errno == EPIPE;
  const std::string name = path_ == "-" ? "standard output" : path_;
  status_ = {std::string("cannot ") + doing + " " + name + " (" + std::strerror(errno) + ")", ""};
}

void ByteSink::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && status_.ok()) {
    const ssize_t done = ::write(descriptor_, rest.data(), rest.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return fail("write");
    rest.remove_prefix(static_cast<size_t>(done));
  }
  buffer_.clear();
}

Status ByteSink::finish() {
  flush();
  if (descriptor_ > STDERR_FILENO) {
    // Some file systems report a full disk only here.
    if (close(std::exchange(descriptor_, -1)) != 0) fail("write");
    if (status_.ok() && !partial_.empty() && std::rename(partial_.c_str(), file_.c_str()) != 0) fail("rename to");
    if (status_.ok()) partial_.clear();
  }
  abandon();
  return status_;
}

void ByteSink::abandon() {
  if (descriptor_ > STDERR_FILENO) close(std::exchange(descriptor_, -1));
  if (!partial_.empty()) unlink(partial_.c_str());
  partial_.clear();
  buffer_.clear();
}

}  // namespace xsp::analysis
