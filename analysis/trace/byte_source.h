#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace xsp::analysis {

/// Where the bytes of a trace come from: a file, a pipe, or memory in tests. Reading, not mapping, so that a file that
/// shrinks meanwhile is an early end and not a SIGBUS, and the file's pages do not count as ours.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads up to `size` bytes; 0 at the end, -1 with `error()` set.
  virtual ptrdiff_t read(char* to, size_t size) = 0;
  virtual std::string error() const { return {}; }
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::span<const char> bytes) : bytes_(bytes) {}
  ptrdiff_t read(char* to, size_t size) override;

 private:
  std::span<const char> bytes_;
};

/// Opens a file, or standard input for "-". On failure returns null and sets `status`.
std::unique_ptr<ByteSource> open_file(const std::string& path, Status* status);

}  // namespace xsp::analysis
