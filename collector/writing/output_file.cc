#include "collector/writing/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_target.h"

namespace xsp {
namespace {

class PartialFile : public OutputFile {
 public:
  PartialFile(int fd, std::string path, bool force) : fd_(fd), path_(std::move(path)), force_(force) {}
  /// An abandoned trace keeps its partial name, unless nothing was written.
  ~PartialFile() override {
    if (fd_ < 0) return;
    if (::lseek(fd_, 0, SEEK_END) == 0) ::unlink((path_ + ".partial").c_str());
    ::close(fd_);
  }

  ssize_t write(const void* data, size_t size) override {
    ssize_t written;
    do {
      written = ::write(fd_, data, size);
    } while (written < 0 && errno == EINTR);
    return written < 0 ? -errno : written;
  }

  int truncate(uint64_t size) override {
    if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) return -errno;
    return ::lseek(fd_, static_cast<off_t>(size), SEEK_SET) < 0 ? -errno : 0;
  }

  Status publish() override {
    // The file gets its final name before the descriptor, and with it the lock, is released.
    const std::string partial = path_ + ".partial";
    int failed = ::renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, path_.c_str(), force_ ? 0 : RENAME_NOREPLACE);
    if (failed != 0 && (errno == EINVAL || errno == ENOSYS) && (force_ || ::access(path_.c_str(), F_OK) != 0)) {
      failed = ::rename(partial.c_str(), path_.c_str());  // for file systems without RENAME_NOREPLACE
    }
    const int error = errno;
    const int closed = ::close(fd_);
    const int close_error = errno;
    fd_ = -1;
    if (failed != 0) {
      return Status{"cannot rename " + partial + " to " + path_ + " (" + std::strerror(error) + ")"};
    }
    if (closed != 0) return Status{"cannot close " + path_ + " (" + std::strerror(close_error) + ")"};
    return Status();
  }

 private:
  int fd_;
  std::string path_;
  bool force_;
};

/// Creates `partial`, or opens what a collector of this user left behind. In a folder that others can write to, a file
/// planted for us to write into is refused: a link, also a hard one, a pipe, a file of somebody else.
int open_partial(const std::string& partial, std::string* why) {
  constexpr int kHow = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  int fd = ::open(partial.c_str(), kHow | O_CREAT | O_EXCL, 0666);
  if (fd >= 0 || errno != EEXIST) {
    if (fd < 0) *why = std::strerror(errno);
    return fd;
  }
  fd = ::open(partial.c_str(), kHow);
  struct stat left {};
  if (fd >= 0 && ::fstat(fd, &left) == 0 && S_ISREG(left.st_mode) && left.st_uid == ::geteuid() && left.st_nlink == 1) {
    return fd;
  }
  *why = partial + " is there and is no plain file of this user";
  if (fd >= 0) ::close(fd);
  return -1;
}

/// A pipe or a device. What was written cannot be cut back: a failed write ends the trace there.
class OutputStream : public OutputFile {
 public:
  OutputStream(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~OutputStream() override {
    if (fd_ >= 0) ::close(fd_);
  }

  ssize_t write(const void* data, size_t size) override {
    ssize_t written;
    do {
      written = ::write(fd_, data, size);
    } while (written < 0 && errno == EINTR);
    return written < 0 ? -errno : written;
  }

  int truncate(uint64_t) override { return -ESPIPE; }

  Status publish() override {
    const int closed = ::close(fd_);
    fd_ = -1;
    return closed == 0 ? Status() : Status{"cannot close " + path_ + " (" + std::strerror(errno) + ")"};
  }

 private:
  int fd_;
  std::string path_;
};

/// Opens a pipe as soon as somebody reads from it. The recorded program is waiting meanwhile, so not for long.
int open_stream(const std::string& path) {
  constexpr int kHow = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  constexpr int kTries = 100;
  int fd = ::open(path.c_str(), kHow);
  for (int i = 0; fd < 0 && errno == ENXIO && i < kTries; ++i) {
    ::usleep(50'000);
    fd = ::open(path.c_str(), kHow);
  }
  // From here on writes wait for a slow reader.
  if (fd >= 0) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

Status create_output_stream(const std::string& path, std::unique_ptr<OutputFile>* file) {
  const int fd = open_stream(path);
  if (fd < 0) {
    const std::string why = errno == ENXIO ? "nobody reads from it" : std::strerror(errno);
    return Status{"cannot write " + path + " (" + why + ")"};
  }
  *file = std::make_unique<OutputStream>(fd, path);
  return Status();
}

/// `named` is what the user called the file that is now to be made at `path`.
Status create_partial_file(const std::string& named, const std::string& path, bool force,
                           std::unique_ptr<OutputFile>* file) {
  const std::string partial = path + ".partial";
  std::string why;
  const int fd = open_partial(partial, &why);
  if (fd < 0) return Status{"cannot write " + named + " (" + why + ")"};
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(fd);
    return Status{"another collector is writing " + partial};
  }
  if (::ftruncate(fd, 0) != 0) {
    const int error = errno;
    ::close(fd);
    return Status{"cannot write " + named + " (" + std::strerror(error) + ")"};
  }
  *file = std::make_unique<PartialFile>(fd, path, force);
  return Status();
}

}  // namespace

Status create_output_file(const std::string& path, bool force, std::unique_ptr<OutputFile>* file) {
  OutputTarget target;
  if (Status status = find_output_target(path, &target); !status.ok()) return status;
  if (target.kind == OutputTarget::Kind::kStream) return create_output_stream(target.path, file);
  if (!force && target.exists) return Status{path + " exists"};
  return create_partial_file(path, target.path, force, file);
}

}  // namespace xsp
