/// Tells PyTorch of memory of a device, as the CUDA caching allocator of libc10_cuda does. With the signature that the
/// loaded libc10 has: of 1.10 to 1.13, or of later versions.
#include <cstddef>
#include <cstdint>

namespace c10 {
struct Device {
  int8_t type;
  int8_t index;
};
void reportMemoryUsageToProfiler(void* block, int64_t bytes, size_t allocated, size_t reserved, Device device);
void reportMemoryUsageToProfiler(void* block, int64_t bytes, int64_t allocated, int64_t reserved, Device device);
}  // namespace c10

namespace {
constexpr int8_t kCuda = 1;
}

extern "C" void tell(int64_t bytes, int64_t allocated, int64_t reserved, int index, int is_signed) {
  void* block = reinterpret_cast<void*>(uintptr_t{64});
  const c10::Device device{kCuda, static_cast<int8_t>(index)};
  if (is_signed != 0) {
    c10::reportMemoryUsageToProfiler(block, bytes, allocated, reserved, device);
  } else {
    c10::reportMemoryUsageToProfiler(block, bytes, static_cast<size_t>(allocated), static_cast<size_t>(reserved),
                                     device);
  }
}
