#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace xsp::guest {

/// Zeroed memory as long as it is in scope, for what is too large for the stack: the first call that is recorded may be
/// that of a thread or coroutine whose stack is small.
class MappedMemory {
 public:
  explicit MappedMemory(size_t bytes)
      : memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), bytes_(bytes) {}
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  ~MappedMemory() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }

  /// Null if the kernel had none to give.
  uint8_t* data() const { return memory_ == MAP_FAILED ? nullptr : static_cast<uint8_t*>(memory_); }
  size_t size() const { return memory_ == MAP_FAILED ? 0 : bytes_; }

 private:
  void* memory_;
  size_t bytes_;
};

}  // namespace xsp::guest
