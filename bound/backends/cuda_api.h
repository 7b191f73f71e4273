#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "bound/backends/shared_library.h"

/// What is called of the CUDA driver (libcuda.so.1): names, numbers and types of its published interface, which do not
/// change once a version has shipped. No toolkit is needed to build.
namespace xsp::bound::cuda {

// Objects of the driver, known by their addresses. The runtime's cudaStream_t is the same object as CUstream.
struct ContextObject;
struct StreamObject;
struct EventObject;
using Context = ContextObject*;
using Stream = StreamObject*;
using Event = EventObject*;

using Result = int;
using Device = int;
using DevicePointer = uint64_t;

// Of CUresult.
inline constexpr Result kSuccess = 0;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kStubLibrary = 34;  // of the toolkit, to link with
inline constexpr Result kNoDevice = 100;

// Of CUdevice_attribute.
inline constexpr int kClockRate = 13;  // kHz
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kMemoryClockRate = 36;  // kHz
inline constexpr int kL2CacheSize = 38;
inline constexpr int kComputeCapabilityMajor = 75;
inline constexpr int kComputeCapabilityMinor = 76;

// Of CUstream_flags and CUevent_flags.
inline constexpr unsigned kNonBlockingStream = 1;
inline constexpr unsigned kDefaultEvent = 0;

/// Of cudaDataType, which cuBLAS and cuBLASLt name types by.
enum class DataType : int {
  kF32 = 0,
  kF64 = 1,
  kF16 = 2,
  kI8 = 3,
  kU8 = 8,
  kI32 = 10,
  kBf16 = 14,
  kF8E4M3 = 28,
  kF8E5M2 = 29,
};

/// member, symbol, parameters; all return a Result.
#define XSP_CUDA_FUNCTIONS(X)                                                                                  \
  X(init, cuInit, (unsigned flags))                                                                            \
  X(driver_version, cuDriverGetVersion, (int* version))                                                        \
  X(error_name, cuGetErrorName, (Result result, const char** text))                                            \
  X(error_string, cuGetErrorString, (Result result, const char** text))                                        \
  X(device_count, cuDeviceGetCount, (int* count))                                                              \
  X(device_get, cuDeviceGet, (Device * device, int ordinal))                                                   \
  X(device_name, cuDeviceGetName, (char* name, int length, Device device))                                     \
  X(device_memory, cuDeviceTotalMem_v2, (size_t * bytes, Device device))                                       \
  X(device_attribute, cuDeviceGetAttribute, (int* value, int attribute, Device device))                        \
  X(retain_context, cuDevicePrimaryCtxRetain, (Context * context, Device device))                              \
  X(release_context, cuDevicePrimaryCtxRelease_v2, (Device device))                                            \
  X(set_context, cuCtxSetCurrent, (Context context))                                                           \
  X(memory_info, cuMemGetInfo_v2, (size_t * free, size_t * total))                                             \
  X(allocate, cuMemAlloc_v2, (DevicePointer * address, size_t bytes))                                          \
  X(free, cuMemFree_v2, (DevicePointer address))                                                               \
  X(copy_to_device, cuMemcpyHtoD_v2, (DevicePointer to, const void* from, size_t bytes))                       \
  X(copy_to_host, cuMemcpyDtoH_v2, (void* to, DevicePointer from, size_t bytes))                               \
  X(copy_on_device, cuMemcpyDtoDAsync_v2, (DevicePointer to, DevicePointer from, size_t bytes, Stream stream)) \
  X(set_bytes, cuMemsetD8Async, (DevicePointer to, unsigned char byte, size_t bytes, Stream stream))           \
  X(create_stream, cuStreamCreate, (Stream * stream, unsigned flags))                                          \
  X(destroy_stream, cuStreamDestroy_v2, (Stream stream))                                                       \
  X(wait_for_stream, cuStreamSynchronize, (Stream stream))                                                     \
  X(call_host, cuLaunchHostFunc, (Stream stream, void (*function)(void*), void* argument))                     \
  X(create_event, cuEventCreate, (Event * event, unsigned flags))                                              \
  X(destroy_event, cuEventDestroy_v2, (Event event))                                                           \
  X(record_event, cuEventRecord, (Event event, Stream stream))                                                 \
  X(elapsed_ms, cuEventElapsedTime, (float* milliseconds, Event begin, Event end))

/// The driver, loaded. Lives until the process ends.
class CudaApi {
 public:
  /// `is_missing`: there is no driver on this machine; then the status is an error, too. Nothing is initialized yet.
  static Status open(CudaApi* api, bool* is_missing);

#define XSP_DECLARE(member, symbol, parameters) Result(*member) parameters = nullptr;
  XSP_CUDA_FUNCTIONS(XSP_DECLARE)
#undef XSP_DECLARE

  const std::string& path() const { return file_.path(); }
  /// Ok for kSuccess, else "cuStreamSynchronize: an illegal memory access was encountered
  /// (CUDA_ERROR_ILLEGAL_ADDRESS)".
  Status status_of(Result result, std::string_view function) const;

 private:
  SharedLibrary file_;
};

}  // namespace xsp::bound::cuda
