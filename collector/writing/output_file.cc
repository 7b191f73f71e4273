#include "collector/writing/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace xsp {
namespace {

class PartialFile : public OutputFile {
 public:
  PartialFile(int fd, std::string path, bool force) : fd_(fd), path_(std::move(path)), force_(force) {}
  /// A trace that was given up keeps its partial name, unless nothing was written.
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
    // The file gets its name before the descriptor, and with it the lock, is given up.
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

/// Creates `partial`, or opens what a collector of this user left behind. In a folder that others can write too, a file
/// that was put there for us to write into is refused: a link, also a hard one, a pipe, a file of somebody else.
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
  *why = "what is there is no plain file of this user";
  if (fd >= 0) ::close(fd);
  return -1;
}

}  // namespace

Status create_output_file(const std::string& path, bool force, std::unique_ptr<OutputFile>* file) {
  struct stat existing {};
  if (!force && ::lstat(path.c_str(), &existing) == 0) return Status{path + " exists"};
  const std::string partial = path + ".partial";
  std::string why;
  const int fd = open_partial(partial, &why);
  if (fd < 0) return Status{"cannot create " + partial + " (" + why + ")"};
  // Locked before it is cut to nothing: another collector may be writing it.
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(fd);
    return Status{"another collector is writing " + partial};
  }
  if (::ftruncate(fd, 0) != 0) {
    const int error = errno;
    ::close(fd);
    return Status{"cannot write " + partial + " (" + std::strerror(error) + ")"};
  }
  *file = std::make_unique<PartialFile>(fd, path, force);
  return Status();
}

}  // namespace xsp
