/// A stand-in for libc10: its CPU allocator alone.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace c10 {

struct Device {
  int8_t type;
  int8_t index;
};

void* alloc_cpu(size_t bytes) { return malloc(bytes); }

void free_cpu(void* block) { free(block); }

void reportMemoryUsageToProfiler(void*, int64_t, size_t, size_t, Device) {}

}  // namespace c10
