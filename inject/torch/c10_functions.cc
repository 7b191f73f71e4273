/// Functions of libc10 that the guest exports under their own names: they are called through the PLT, also inside
/// libc10. Each calls the real one, whose exceptions pass through: nothing here needs cleaning up.

#include <cstddef>
#include <cstdint>

#include "inject/interpose/forwarded_function.h"
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

constinit ForwardedFunction<Allocate> real_allocate("_ZN3c109alloc_cpuEm", "libc10.so");
constinit ForwardedFunction<Free> real_free("_ZN3c108free_cpuEPv", "libc10.so");
constinit ForwardedFunction<Report> real_report("_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE", "libc10.so");
constinit ForwardedFunction<ReportSigned> real_report_signed("_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE",
                                                             "libc10.so");
constinit ForwardedFunction<ReportPlain> real_report_plain("_ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE",
                                                           "libc10.so");

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
