// Entry points: memory, copies, memsets. Device memory is the host's.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "entry.h"

using namespace fake;

namespace {

enum CopyKind { kHtoD = 1, kDtoH = 2, kDtoD = 8, kHtoH = 9, kPtoP = 10 };
enum MemoryKind { kPageable = 1, kPinned = 2, kDevice = 3 };

int kind_of(const std::map<uintptr_t, size_t>& memory, uintptr_t address) {
  auto found = memory.upper_bound(address);
  if (found == memory.begin()) return 0;
  --found;
  return address < found->first + found->second;
}
int memory_kind(const void* address) {
  std::lock_guard held(state().lock);
  const auto value = reinterpret_cast<uintptr_t>(address);
  if (kind_of(state().device_memory, value)) return kDevice;
  return kind_of(state().pinned_memory, value) ? kPinned : kPageable;
}

/// `kind` 0: by the addresses. Like the driver, it takes what is in pageable memory at once, and has written to it when
/// it returns.
int copy(void* to, const void* from, size_t count, int kind, void* handle, bool per_thread, bool asynchronous) {
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  Work work;
  fake_execution& e = work.execution;
  e.from_kind = memory_kind(from);
  e.to_kind = memory_kind(to);
  if (kind == 0)
    kind = e.to_kind == kDevice ? (e.from_kind == kDevice ? kDtoD : kHtoD) : e.from_kind == kDevice ? kDtoH : kHtoH;
  if ((kind == kDtoH || kind == kDtoD) && e.from_kind != kDevice) return kInvalidValue;
  if ((kind == kHtoD || kind == kDtoD) && e.to_kind != kDevice) return kInvalidValue;
  work.name = kind == kHtoD ? "HtoD" : kind == kDtoH ? "DtoH" : kind == kDtoD ? "DtoD" : "HtoH";
  work.duration = copy_duration(count);
  e.kind = kFakeMemcpy;
  e.copy_kind = kind;
  e.bytes = count;
  e.asynchronous = asynchronous;
  const bool capturing = on.stream->capture != nullptr;
  if (kind == kHtoD && e.from_kind == kPageable && !capturing) {
    auto staged =
        std::make_shared<std::vector<char>>(static_cast<const char*>(from), static_cast<const char*>(from) + count);
    work.effect = [to, staged] { memcpy(to, staged->data(), staged->size()); };
  } else {
    work.effect = [to, from, count] { memmove(to, from, count); };
  }
  const bool wait = !asynchronous || (kind == kDtoH && e.to_kind == kPageable && !capturing);
  return submit(*on.stream, std::move(work), wait);
}

int set(void* to, unsigned value, size_t width, size_t count, void* handle, bool per_thread, bool asynchronous) {
  const OnStream on(handle, per_thread);
  if (on.status != kSuccess) return on.status;
  if (memory_kind(to) != kDevice) return kInvalidValue;
  Work work;
  work.name = "memset";
  work.duration = memset_duration(width * count);
  fake_execution& e = work.execution;
  e.kind = kFakeMemset;
  e.bytes = width * count;
  e.value = value;
  e.to_kind = kDevice;
  e.asynchronous = asynchronous;
  work.effect = [to, value, width, count] {
    if (width == 1)
      memset(to, static_cast<int>(value), count);
    else
      for (size_t i = 0; i < count; ++i) static_cast<unsigned*>(to)[i] = value;
  };
  return submit(*on.stream, std::move(work), false);
}

void tell_memory(int operation, int kind, const void* address, size_t bytes) {
  fake_execution e = {};
  e.kind = kFakeMemory;
  e.memory_operation = operation;
  e.to_kind = kind;
  e.address = reinterpret_cast<uintptr_t>(address);
  e.bytes = bytes;
  e.begin = e.end = now();
  e.correlation = correlation_here();
  const Context* context = current_context();
  if (context != nullptr) {
    e.device = static_cast<uint32_t>(context->device);
    e.context = context->id;
  }
  tell_launch(e, nullptr);
  tell_execution(e);
}

int allocate(void** result, size_t bytes, bool pinned) {
  if (usable() != kSuccess) return usable();
  if (current_context() == nullptr) return kInvalidContext;
  if (const int status = unsafe_in_capture(capture_mode_of_thread())) return status;
  if (bytes == 0) return kInvalidValue;
  void* const memory = bytes > (size_t{80} << 30) ? nullptr : malloc(bytes);
  if (memory == nullptr) return kOutOfMemory;
  {
    std::lock_guard held(state().lock);
    (pinned ? state().pinned_memory : state().device_memory)[reinterpret_cast<uintptr_t>(memory)] = bytes;
  }
  *result = memory;
  tell_memory(1, pinned ? kPinned : kDevice, memory, bytes);
  return kSuccess;
}

int free_memory(void* address, bool pinned) {
  if (usable() != kSuccess) return usable();
  if (address == nullptr) return kSuccess;
  auto& memory = pinned ? state().pinned_memory : state().device_memory;
  size_t bytes;
  {
    std::unique_lock held(state().lock);
    if (current_context() != nullptr) wait_for_context(held, *current_context());
    const auto found = memory.find(reinterpret_cast<uintptr_t>(address));
    if (found == memory.end()) return kInvalidValue;
    bytes = found->second;
    memory.erase(found);
  }
  tell_memory(2, pinned ? kPinned : kDevice, address, bytes);
  free(address);
  return kSuccess;
}

}  // namespace

EXPORT int cuMemAlloc_v2(void** address, size_t bytes) {
  struct {
    void* address;
    size_t bytes;
  } parameters = {address, bytes};
  return api_call("cuMemAlloc_v2", 243, &parameters, [&] { return allocate(address, bytes, false); });
}
EXPORT int cuMemGetInfo_v2(size_t* free, size_t* total) {
  struct {
    size_t *free, *total;
  } parameters = {free, total};
  return api_call("cuMemGetInfo_v2", 242, &parameters, [&] {
    if (usable() != kSuccess) return usable();
    std::lock_guard held(state().lock);
    size_t used = 0;
    for (const auto& [address, bytes] : state().device_memory) used += bytes;
    *total = size_t{80} << 30;
    *free = *total - used;
    return static_cast<int>(kSuccess);
  });
}
EXPORT int cuMemFree_v2(void* address) {
  return api_call("cuMemFree_v2", 245, &address, [&] { return free_memory(address, false); });
}
EXPORT int cuMemAllocHost_v2(void** address, size_t bytes) {
  struct {
    void* address;
    size_t bytes;
  } parameters = {address, bytes};
  return api_call("cuMemAllocHost_v2", 294, &parameters, [&] { return allocate(address, bytes, true); });
}
EXPORT int cuMemHostAlloc(void** address, size_t bytes, unsigned flags) {
  struct {
    void* address;
    size_t bytes;
    unsigned flags;
  } parameters = {address, bytes, flags};
  return api_call("cuMemHostAlloc", 39, &parameters, [&] { return allocate(address, bytes, true); });
}
EXPORT int cuMemFreeHost(void* address) {
  return api_call("cuMemFreeHost", 38, &address, [&] { return free_memory(address, true); });
}

#define COPY_ASYNC(name, callback, kind, per_thread)                                        \
  EXPORT int name(void* to, const void* from, size_t count, void* stream) {                 \
    struct {                                                                                \
      void* to;                                                                             \
      const void* from;                                                                     \
      size_t count;                                                                         \
      void* stream;                                                                         \
    } parameters = {to, from, count, stream};                                               \
    return api_call(#name, callback, &parameters,                                           \
                    [&] { return copy(to, from, count, kind, stream, per_thread, true); }); \
  }
#define COPY(name, callback, kind, per_thread)                                                \
  EXPORT int name(void* to, const void* from, size_t count) {                                 \
    struct {                                                                                  \
      void* to;                                                                               \
      const void* from;                                                                       \
      size_t count;                                                                           \
    } parameters = {to, from, count};                                                         \
    return api_call(#name, callback, &parameters,                                             \
                    [&] { return copy(to, from, count, kind, nullptr, per_thread, false); }); \
  }
COPY_ASYNC(cuMemcpyAsync, 306, 0, false)
COPY_ASYNC(cuMemcpyAsync_ptsz, 418, 0, true)
COPY_ASYNC(cuMemcpyHtoDAsync_v2, 277, kHtoD, false)
COPY_ASYNC(cuMemcpyHtoDAsync_v2_ptsz, 421, kHtoD, true)
COPY_ASYNC(cuMemcpyDtoHAsync_v2, 279, kDtoH, false)
COPY_ASYNC(cuMemcpyDtoHAsync_v2_ptsz, 422, kDtoH, true)
COPY_ASYNC(cuMemcpyDtoDAsync_v2, 281, kDtoD, false)
COPY_ASYNC(cuMemcpyDtoDAsync_v2_ptsz, 423, kDtoD, true)
COPY(cuMemcpy, 305, 0, false)
COPY(cuMemcpy_ptds, 408, 0, true)
COPY(cuMemcpyHtoD_v2, 276, kHtoD, false)
COPY(cuMemcpyHtoD_v2_ptds, 397, kHtoD, true)
COPY(cuMemcpyDtoH_v2, 278, kDtoH, false)
COPY(cuMemcpyDtoH_v2_ptds, 398, kDtoH, true)
COPY(cuMemcpyDtoD_v2, 280, kDtoD, false)
COPY(cuMemcpyDtoD_v2_ptds, 399, kDtoD, true)

#define SET_ASYNC(name, callback, type, per_thread)                                                 \
  EXPORT int name(void* to, type value, size_t count, void* stream) {                               \
    struct {                                                                                        \
      void* to;                                                                                     \
      type value;                                                                                   \
      size_t count;                                                                                 \
      void* stream;                                                                                 \
    } parameters = {to, value, count, stream};                                                      \
    return api_call(#name, callback, &parameters,                                                   \
                    [&] { return set(to, value, sizeof(type), count, stream, per_thread, true); }); \
  }
SET_ASYNC(cuMemsetD8Async, 216, unsigned char, false)
SET_ASYNC(cuMemsetD8Async_ptsz, 428, unsigned char, true)
SET_ASYNC(cuMemsetD32Async, 220, unsigned, false)
SET_ASYNC(cuMemsetD32Async_ptsz, 430, unsigned, true)

EXPORT int cuMemsetD8_v2(void* to, unsigned char value, size_t count) {
  struct {
    void* to;
    unsigned char value;
    size_t count;
  } parameters = {to, value, count};
  return api_call("cuMemsetD8_v2", 249, &parameters, [&] { return set(to, value, 1, count, nullptr, false, false); });
}
