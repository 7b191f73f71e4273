#include "analysis/trace/byte_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/shell_words.h"

namespace xsp::analysis {
namespace {

class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
  ~DescriptorSource() override {
    if (owned_) close(descriptor_);
  }
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;

  ptrdiff_t read(char* to, size_t size) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, to, size);
      if (got >= 0) return got;
      if (errno == EINTR) continue;
      error_ = std::strerror(errno);
      return -1;
    }
  }
  std::string error() const override { return error_; }

 private:
  int descriptor_;
  bool owned_;
  std::string error_;
};

}  // namespace

ptrdiff_t MemorySource::read(char* to, size_t size) {
  const size_t got = std::min(size, bytes_.size());
  if (got != 0) std::memcpy(to, bytes_.data(), got);
  bytes_ = bytes_.subspan(got);
  return static_cast<ptrdiff_t>(got);
}

std::unique_ptr<ByteSource> open_file(const std::string& path, Status* status) {
  if (path == "-") return std::make_unique<DescriptorSource>(STDIN_FILENO, false);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    *status = {"cannot read " + path + " (" + std::strerror(errno) + ")",
               errno == ENOENT ? "record a trace: " + shell_command({"xsp-run", "-o", path, "--", "COMMAND"})
                               : "check its permissions: " + shell_command({"ls", "-l", path})};
    return nullptr;
  }
  return std::make_unique<DescriptorSource>(descriptor, true);
}

}  // namespace xsp::analysis
