#pragma once

#include <cstddef>

namespace xsp {

/// Bytes that are read once, in order.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads up to `size` more bytes; 0 at the end, or where reading fails.
  virtual size_t read(char* to, size_t size) = 0;
};

/// The bytes of an open file.
class FileBytes : public ByteSource {
 public:
  /// Owns `fd`.
  explicit FileBytes(int fd) : fd_(fd) {}
  ~FileBytes() override;
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  size_t read(char* to, size_t size) override;

 private:
  int fd_;
};

}  // namespace xsp
