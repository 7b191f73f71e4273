#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "import/frame/profile_input.h"

namespace xsp::test {

/// An input in memory that gives at most `part` bytes at a time.
class MemoryInput : public ProfileInput {
 public:
  explicit MemoryInput(std::string_view bytes, size_t part = SIZE_MAX) : bytes_(bytes), part_(part) {}
  ~MemoryInput() override {
    if (!file_.empty()) ::unlink(file_.c_str());
  }
  MemoryInput(const MemoryInput&) = delete;
  MemoryInput& operator=(const MemoryInput&) = delete;

  const std::string& path() const override { return path_; }
  std::string_view head(size_t size) override { return bytes_.substr(0, size); }
  size_t read(char* to, size_t size) override {
    const size_t taken = std::min({size, part_, bytes_.size() - position_});
    if (taken != 0) std::memcpy(to, bytes_.data() + position_, taken);
    position_ += taken;
    return taken;
  }
  Status error() const override { return Status(); }
  uint64_t position() const override { return position_; }
  /// A file on disk: SQLite follows links, and those of /proc to memory lead nowhere.
  Status as_file(std::string* path) override {
    if (file_.empty()) {
      std::string name = "/tmp/xsp-memory-input-XXXXXX";
      const int fd = ::mkstemp(name.data());
      if (fd < 0) return Status{"no temporary file"};
      file_ = name;
      const bool written = ::write(fd, bytes_.data(), bytes_.size()) == static_cast<ssize_t>(bytes_.size());
      ::close(fd);
      if (!written) return Status{"no space"};
    }
    *path = file_;
    return Status();
  }

 private:
  std::string path_ = "memory";
  std::string_view bytes_;
  size_t part_;
  size_t position_ = 0;
  std::string file_;
};

}  // namespace xsp::test
