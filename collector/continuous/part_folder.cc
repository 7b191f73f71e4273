#include "collector/continuous/part_folder.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

namespace xsp {
namespace {

constexpr std::string_view kEnding = ".pb";
constexpr std::string_view kPartialEnding = ".pb.partial";
constexpr size_t kDigits = 6;
constexpr size_t kMaxParts = 4096;

std::string name_of(uint32_t index) {
  char name[24];
  std::snprintf(name, sizeof name, "%0*u%s", static_cast<int>(kDigits), index, kEnding.data());
  return name;
}

/// Index of the part with this name; 0 if it is not the name of a part.
uint32_t index_of(std::string_view name, bool* partial) {
  *partial = name.ends_with(kPartialEnding);
  const std::string_view ending = *partial ? kPartialEnding : kEnding;
  if (!name.ends_with(ending)) return 0;
  name.remove_suffix(ending.size());
  if (name.size() < kDigits) return 0;
  uint32_t index = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), index);
  return failed == std::errc() && end == name.data() + name.size() ? index : 0;
}

Status error(const std::string& what) { return Status{what + " (" + std::strerror(errno) + ")"}; }

bool make_folders(const std::string& path) {
  for (size_t at = 1; at <= path.size(); ++at) {
    if (at != path.size() && path[at] != '/') continue;
    if (::mkdir(path.substr(0, at).c_str(), 0777) != 0 && errno != EEXIST) return false;
  }
  return true;
}

}  // namespace

/// The part that is being written.
class PartFolder::Part : public OutputFile {
 public:
  Part(PartFolder& folder, uint32_t index, int fd) : folder_(folder), index_(index), fd_(fd) {
    folder_.written_.insert(index_);
  }
  ~Part() override {
    if (fd_ < 0) return;
    if (size_ == 0) {
      (void)discard();
      return;
    }
    folder_.written_.erase(index_);
    ::close(fd_);
  }

  ssize_t write(const void* data, size_t size) override {
    // Before the write: the folder must never be larger than allowed, not even for a moment.
    if (!folder_.make_room(size)) return -EFBIG;
    ssize_t written;
    do {
      written = ::write(fd_, data, size);
    } while (written < 0 && errno == EINTR);
    if (written < 0) return -errno;
    size_ += static_cast<uint64_t>(written);
    folder_.resize(index_, size_);
    return written;
  }

  int truncate(uint64_t size) override {
    if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) return -errno;
    size_ = size;
    folder_.resize(index_, size_);
    return ::lseek(fd_, static_cast<off_t>(size), SEEK_SET) < 0 ? -errno : 0;
  }

  Status publish() override {
    // An empty one gets its name too: the mark of a recording that could not go on.
    if (size_ == 0) folder_.sizes_.erase(index_);
    const std::string name = name_of(index_);
    int failed = ::renameat2(folder_.fd_, partial_name().c_str(), folder_.fd_, name.c_str(), RENAME_NOREPLACE);
    // Not every file system knows RENAME_NOREPLACE.
    if (failed != 0 && (errno == EINVAL || errno == ENOSYS)) {
      failed = ::renameat(folder_.fd_, partial_name().c_str(), folder_.fd_, name.c_str());
    }
    Status status = failed == 0 ? Status() : error("cannot rename " + folder_.path_ + "/" + partial_name());
    const int closed = ::close(fd_);
    fd_ = -1;
    folder_.written_.erase(index_);
    if (status.ok() && closed != 0) status = error("cannot close " + folder_.path_ + "/" + name);
    return status;
  }

 private:
  /// Removes a part to which nothing could be written; its index is reused.
  Status discard() {
    ::close(fd_);
    fd_ = -1;
    ::unlinkat(folder_.fd_, partial_name().c_str(), 0);
    folder_.written_.erase(index_);
    folder_.sizes_.erase(index_);
    if (folder_.last_index_ == index_) --folder_.last_index_;
    return Status();
  }
  std::string partial_name() const { return name_of(index_) + ".partial"; }

  PartFolder& folder_;
  uint32_t index_;
  int fd_;
  uint64_t size_ = 0;
};

PartFolder::~PartFolder() {
  if (fd_ >= 0) ::close(fd_);
}

Status PartFolder::open(const std::string& path, uint64_t max_bytes, bool force) {
  path_ = path;
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  max_bytes_ = max_bytes;
  struct stat there {};
  if (::stat(path_.c_str(), &there) == 0 && !S_ISDIR(there.st_mode)) {
    return Status{path_ + " is a file; a recording in parts is a folder"};
  }
  if (!make_folders(path_)) return error("cannot make the folder " + path_);
  fd_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0) return error("cannot open the folder " + path_);
  // On file systems without locks there is no lock, and recording goes on.
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Status{"another collector is writing into " + path_};
  }
  return adopt_entries(force);
}

Status PartFolder::adopt_entries(bool force) {
  const int scanned = ::openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = scanned < 0 ? nullptr : ::fdopendir(scanned);
  if (entries == nullptr) return error("cannot read the folder " + path_);
  std::vector<std::string> unfinished;
  std::string foreign;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    bool partial = false;
    struct stat file {};
    const uint32_t index = index_of(name, &partial);
    if (index == 0 || ::fstatat(fd_, name.c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(file.st_mode)) {
      foreign = name;
      continue;
    }
    if (partial) unfinished.push_back(name);
    last_index_ = std::max(last_index_, index);
    sizes_[index] += static_cast<uint64_t>(file.st_size);
    bytes_ += static_cast<uint64_t>(file.st_size);
  }
  ::closedir(entries);
  if (!foreign.empty() && !force) {
    return Status{path_ + " is not empty, and what it holds is no recording in parts (" + foreign + ")"};
  }
  for (const std::string& name : unfinished) {
    // Left by a collector that was killed: none can be running, as we hold the lock.
    bool partial = false;
    const uint32_t index = index_of(name, &partial);
    if (sizes_[index] == 0) {
      ::unlinkat(fd_, name.c_str(), 0);
      sizes_.erase(index);
    } else {
      // If that fails, the part keeps its name, still counts, and is removed in its turn.
      (void)::renameat2(fd_, name.c_str(), fd_, name_of(index).c_str(), RENAME_NOREPLACE);
    }
  }
  return Status();
}

Status PartFolder::create_part(std::unique_ptr<OutputFile>* part) {
  if (last_index_ == UINT32_MAX) return Status{"there are too many parts in " + path_};
  while (sizes_.size() >= kMaxParts && remove_oldest()) {
  }
  const std::string name = name_of(last_index_ + 1) + ".partial";
  const int fd = ::openat(fd_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) return error("cannot create " + path_ + "/" + name);
  sizes_[++last_index_] = 0;
  *part = std::make_unique<Part>(*this, last_index_, fd);
  return Status();
}

void PartFolder::resize(uint32_t index, uint64_t size) {
  uint64_t& known = sizes_[index];
  bytes_ += size - known;
  known = size;
}

bool PartFolder::make_room(uint64_t size) {
  while (max_bytes_ != 0 && bytes_ + size > max_bytes_) {
    if (!remove_oldest()) return false;
  }
  return true;
}

/// Removes the oldest part, but never one that is being written.
bool PartFolder::remove_oldest() {
  if (sizes_.empty() || written_.contains(sizes_.begin()->first)) return false;
  const auto [index, size] = *sizes_.begin();
  // Either name may exist; if neither does, somebody else has removed the part.
  for (const std::string& name : {name_of(index), name_of(index) + ".partial"}) {
    if (::unlinkat(fd_, name.c_str(), 0) != 0 && errno != ENOENT) return false;
  }
  if (log::writes(log::Level::kInfo)) log::info("part " + name_of(index) + " was removed to make room");
  bytes_ -= size;
  sizes_.erase(sizes_.begin());
  ++removed_;
  return true;
}

}  // namespace xsp
