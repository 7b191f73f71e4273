#include "import/frame/profile_input.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/frame/decompression.h"

namespace xsp {
namespace {

constexpr size_t kFileBufferBytes = size_t{256} << 10;
constexpr size_t kMagicBytes = 4;
constexpr uint64_t kProgressBytes = uint64_t{1} << 20;
constexpr int kExitCannotWrite = 5;

Status system_error(const std::string& what) { return Status{what + " (" + std::strerror(errno) + ")"}; }

/// A file that is removed with this object.
class TemporaryCopy {
 public:
  ~TemporaryCopy() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryCopy() = default;
  TemporaryCopy(const TemporaryCopy&) = delete;
  TemporaryCopy& operator=(const TemporaryCopy&) = delete;

  /// In TMPDIR, or in /tmp where no file can be made there.
  Status write(ProfileInput& input) {
    const char* named = std::getenv("TMPDIR");
    const std::string folder = named != nullptr && *named != '\0' ? named : "/tmp";
    int fd = create(folder);
    if (fd < 0) {
      const Status why = cannot_write(input, folder);
      if ((fd = create("/tmp")) < 0) return why;
    }
    Status status = copy(input, fd);
    if (::close(fd) != 0 && status.ok()) return cannot_write(input, folder_);
    return status;
  }

  const std::string& path() const { return path_; }

 private:
  int create(const std::string& folder) {
    std::string name = folder + "/xsp-import-XXXXXX";
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) return fd;
    folder_ = folder;
    path_ = name;
    return fd;
  }

  /// By errno. It is no fault of the input.
  static Status cannot_write(const ProfileInput& input, const std::string& folder) {
    const std::string what = input.path() == "-" ? "standard input" : input.path();
    Status status = system_error("cannot unpack " + what + " into " + folder);
    status.hint = "set TMPDIR to a folder with free space";
    status.exit_code = kExitCannotWrite;
    return status;
  }

  Status copy(ProfileInput& input, int fd) const {
    std::unique_ptr<char[]> buffer(new char[kFileBufferBytes]);
    while (const size_t size = input.read(buffer.get(), kFileBufferBytes)) {
      for (size_t done = 0; done < size;) {
        const ssize_t written = ::write(fd, buffer.get() + done, size - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return cannot_write(input, folder_);
        done += static_cast<size_t>(written);
      }
    }
    return input.error();
  }

  std::string folder_;
  std::string path_;
};

class FileInput final : public ProfileInput {
 public:
  FileInput(std::string path, int fd, uint64_t size, bool is_regular, ImportProgress progress)
      : path_(std::move(path)), fd_(fd), size_(size), is_regular_(is_regular), progress_(std::move(progress)) {}
  ~FileInput() override {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }
  FileInput(const FileInput&) = delete;
  FileInput& operator=(const FileInput&) = delete;

  /// Determines how the input is compressed.
  Status begin() {
    buffer_.reset(new char[kFileBufferBytes]);
    while (end_ < kMagicBytes && fill()) {
    }
    if (!error_.ok()) return error_;
    decompression_ = make_decompression({buffer_.get(), end_});
    return Status();
  }

  const std::string& path() const override { return path_; }

  std::string_view head(size_t size) override {
    if (position_ != 0) return {};
    while (ahead_.size() < size && !is_at_end_) {
      const size_t known = ahead_.size();
      ahead_.resize(size);
      ahead_.resize(known + take(ahead_.data() + known, size - known));
    }
    return ahead_;
  }

  size_t read(char* to, size_t size) override {
    size_t taken = std::min(size, ahead_.size() - ahead_used_);
    if (taken != 0) {
      std::memcpy(to, ahead_.data() + ahead_used_, taken);
      ahead_used_ += taken;
      if (ahead_used_ == ahead_.size()) {
        ahead_ = {};
        ahead_used_ = 0;
      }
    } else {
      taken = take(to, size);
    }
    position_ += taken;
    return taken;
  }

  Status error() const override { return error_; }
  uint64_t position() const override { return position_; }

  Status as_file(std::string* path) override {
    if (decompression_ == nullptr && is_regular_) {
      *path = path_;
      return Status();
    }
    if (copy_.path().empty()) {
      if (position_ != 0) return Status{"the input was read before"};
      Status status = copy_.write(*this);
      if (!status.ok()) return status;
    }
    *path = copy_.path();
    return Status();
  }

 private:
  /// Reads more of the file, after what the buffer holds. False at the end and after an error.
  bool fill() {
    if (begin_ == end_) begin_ = end_ = 0;
    if (end_ == kFileBufferBytes) return true;
    ssize_t got;
    do {
      got = ::read(fd_, buffer_.get() + end_, kFileBufferBytes - end_);
    } while (got < 0 && errno == EINTR);
    if (got < 0) error_ = system_error("cannot read");
    if (got <= 0) return false;
    end_ += static_cast<size_t>(got);
    compressed_ += static_cast<uint64_t>(got);
    if (progress_ && compressed_ - told_ >= kProgressBytes) {
      told_ = compressed_;
      progress_(compressed_, size_);
    }
    return true;
  }

  /// Decompressed bytes that follow those already taken. 0 at the end.
  size_t take(char* to, size_t size) {
    if (is_at_end_ || size == 0) return 0;
    const size_t taken = decompression_ == nullptr ? take_plain(to, size) : take_decompressed(to, size);
    expanded_ += taken;
    if (taken == 0) is_at_end_ = true;
    if (expanded_ > kMaxExpandedBytes && expanded_ / kMaxExpansion > compressed_) {
      error_ = Status{"a zip bomb: more than " + std::to_string(kMaxExpansion) + " times its compressed size"};
      is_at_end_ = true;
    }
    return taken;
  }

  size_t take_plain(char* to, size_t size) {
    if (begin_ == end_ && !fill()) return 0;
    const size_t taken = std::min(size, end_ - begin_);
    std::memcpy(to, buffer_.get() + begin_, taken);
    begin_ += taken;
    return taken;
  }

  size_t take_decompressed(char* to, size_t size) {
    for (;;) {
      const bool is_last = begin_ == end_ && !fill();
      if (!error_.ok()) return 0;
      size_t used = 0;
      size_t made = 0;
      Status status = decompression_->run({buffer_.get() + begin_, end_ - begin_}, is_last, to, size, &used, &made);
      begin_ += used;
      if (!status.ok()) error_ = std::move(status);
      if (made != 0 || is_last || !error_.ok()) return made;
    }
  }

  std::string path_;
  int fd_;
  uint64_t size_;
  bool is_regular_;
  ImportProgress progress_;
  std::unique_ptr<Decompression> decompression_;
  std::unique_ptr<char[]> buffer_;  // of the file
  size_t begin_ = 0;                // what is left in it
  size_t end_ = 0;
  std::string ahead_;  // what head() gave
  size_t ahead_used_ = 0;
  uint64_t compressed_ = 0;
  uint64_t told_ = 0;
  uint64_t expanded_ = 0;
  uint64_t position_ = 0;
  bool is_at_end_ = false;
  Status error_;
  TemporaryCopy copy_;
};

}  // namespace

Status open_profile_input(const std::string& path, ImportProgress progress, std::unique_ptr<ProfileInput>* input) {
  const bool is_standard_input = path == "-";
  const int fd = is_standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error("cannot open " + path);
  struct stat file {};
  if (::fstat(fd, &file) != 0) return system_error("cannot open " + path);
  const bool is_regular = S_ISREG(file.st_mode) && !is_standard_input;
  const uint64_t size = S_ISREG(file.st_mode) ? static_cast<uint64_t>(file.st_size) : 0;
  auto opened = std::make_unique<FileInput>(path, fd, size, is_regular, std::move(progress));
  const Status status = opened->begin();
  if (!status.ok()) return Status{path + ": " + status.error};
  *input = std::move(opened);
  return Status();
}

}  // namespace xsp
