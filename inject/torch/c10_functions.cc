/// Functions of libc10 that the guest exports under their own names: they are called through the PLT, also inside
/// libc10. Each calls the real one, whose exceptions pass through: nothing here needs cleaning up.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/guard/errno_guard.h"
#include "inject/objects/loaded_library.h"
#include "inject/record/hook_timer.h"
#include "inject/torch/allocations.h"

#define XSP_EXPORT __attribute__((visibility("default")))

namespace c10 {

/// As PyTorch declares it: its name is part of the mangled names, and its size decides how it is passed.
struct Device {
  int8_t type;
  int8_t index;
};

XSP_EXPORT void* alloc_cpu(size_t bytes);
XSP_EXPORT void free_cpu(void* block);
/// What device allocators call, and the CPU allocator while the program profiles memory: in PyTorch 2.0 and later; in
/// 1.10 to 1.13; before.
XSP_EXPORT void reportMemoryUsageToProfiler(void* block, int64_t bytes, size_t allocated, size_t reserved,
                                            Device device);
XSP_EXPORT void reportMemoryUsageToProfiler(void* block, int64_t bytes, int64_t allocated, int64_t reserved,
                                            Device device);
XSP_EXPORT void reportMemoryUsageToProfiler(void* block, int64_t bytes, Device device);

}  // namespace c10

namespace xsp::guest {
namespace {

using Allocate = void* (*)(size_t);
using Free = void (*)(void*);
using Report = void (*)(void*, int64_t, size_t, size_t, c10::Device);
using ReportSigned = void (*)(void*, int64_t, int64_t, int64_t, c10::Device);
using ReportPlain = void (*)(void*, int64_t, c10::Device);

/// The real function, found once: the definition in the caller or in what the caller needs. Null only for a caller that
/// got our address although no libc10 is loaded.
template <typename Function>
class RealFunction {
 public:
  explicit constexpr RealFunction(const char* name) : name_(name) {}

  Function get(const void* caller) {
    const Function known = found_.load(std::memory_order_relaxed);
    return __builtin_expect(known != nullptr, 1) ? known : find(caller);
  }

 private:
  Function find(const void* caller) {
    const ErrnoGuard errno_guard;
    void* found = symbol_beside(caller, name_);
    if (found == nullptr) found = symbol_in_loaded_library("libc10.so", name_);
    found_.store(reinterpret_cast<Function>(found), std::memory_order_relaxed);
    return reinterpret_cast<Function>(found);
  }

  const char* name_;
  std::atomic<Function> found_{nullptr};
};

constinit RealFunction<Allocate> real_allocate("_ZN3c109alloc_cpuEm");
constinit RealFunction<Free> real_free("_ZN3c108free_cpuEPv");
constinit RealFunction<Report> real_report("_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE");
constinit RealFunction<ReportSigned> real_report_signed("_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE");
constinit RealFunction<ReportPlain> real_report_plain("_ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE");

void hear(int64_t bytes, uint64_t reserved, c10::Device device) {
  if (device.type != kCpuDevice && counts_allocations()) count_device_change(bytes, reserved, device.index);
}

}  // namespace
}  // namespace xsp::guest

using namespace xsp::guest;

namespace c10 {

void* alloc_cpu(size_t bytes) {
  const Allocate real = real_allocate.get(__builtin_return_address(0));
  if (real == nullptr) return nullptr;
  void* block = real(bytes);
  if (counts_allocations()) {
    const HookTimer timer(known_thread());
    count_allocation(block, bytes);
  }
  return block;
}

void free_cpu(void* block) {
  const Free real = real_free.get(__builtin_return_address(0));
  if (real == nullptr) return;
  // Counted before the block is freed: afterwards another thread may be given the same address.
  if (counts_allocations()) {
    const HookTimer timer(known_thread());
    count_free(block);
  }
  real(block);
}

void reportMemoryUsageToProfiler(void* block, int64_t bytes, size_t allocated, size_t reserved, Device device) {
  const Report real = real_report.get(__builtin_return_address(0));
  hear(bytes, reserved, device);
  if (real != nullptr) real(block, bytes, allocated, reserved, device);
}

void reportMemoryUsageToProfiler(void* block, int64_t bytes, int64_t allocated, int64_t reserved, Device device) {
  const ReportSigned real = real_report_signed.get(__builtin_return_address(0));
  hear(bytes, static_cast<uint64_t>(reserved), device);
  if (real != nullptr) real(block, bytes, allocated, reserved, device);
}

void reportMemoryUsageToProfiler(void* block, int64_t bytes, Device device) {
  const ReportPlain real = real_report_plain.get(__builtin_return_address(0));
  hear(bytes, kUnknownReserved, device);
  if (real != nullptr) real(block, bytes, device);
}

}  // namespace c10
