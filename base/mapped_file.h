#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <string_view>

namespace xsp {

/// The bytes of an open file, which are read when they are touched.
class MappedFile {
 public:
  MappedFile(int fd, size_t size) : size_(size), start_(::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0)) {}
  ~MappedFile() {
    if (is_there()) ::munmap(start_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// False, with errno: the file cannot be mapped.
  bool is_there() const { return start_ != MAP_FAILED; }
  std::string_view bytes() const { return {static_cast<const char*>(start_), size_}; }

 private:
  size_t size_;
  void* start_;
};

}  // namespace xsp
