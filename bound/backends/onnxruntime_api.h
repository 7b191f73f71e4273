#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "bound/backends/shared_library.h"

namespace xsp::bound {

/// What is called of ONNX Runtime's C interface (onnxruntime_c_api.h): a table of functions whose slots never move once
/// a version has shipped. Objects are opaque; functions return null, or a status that says what went wrong.
///
/// name, slot, what it returns, parameters. All are there from version kOrtApiVersion of the table on.
#define XSP_ORT_FUNCTIONS(X)                                                                                 \
  X(GetErrorMessage, 2, const char*, (const void* status))                                                   \
  X(CreateEnv, 3, void*, (int severity, const char* name, void** environment))                               \
  X(DisableTelemetryEvents, 6, void*, (const void* environment))                                             \
  X(CreateSessionFromArray, 8, void*,                                                                        \
    (const void* environment, const void* model, size_t bytes, const void* options, void** session))         \
  X(Run, 9, void*,                                                                                           \
    (void* session, const void* options, const char* const* input_names, const void* const* inputs,          \
     size_t input_count, const char* const* output_names, size_t output_count, void** outputs))              \
  X(CreateSessionOptions, 10, void*, (void** options))                                                       \
  X(EnableProfiling, 14, void*, (void* options, const char* prefix))                                         \
  X(SetSessionLogSeverityLevel, 22, void*, (void* options, int severity))                                    \
  X(SetSessionGraphOptimizationLevel, 23, void*, (void* options, int level))                                 \
  X(SetIntraOpNumThreads, 24, void*, (void* options, int threads))                                           \
  X(SetInterOpNumThreads, 25, void*, (void* options, int threads))                                           \
  X(CreateTensorWithDataAsOrtValue, 49, void*,                                                               \
    (const void* memory_info, void* data, size_t bytes, const int64_t* dimensions, size_t rank, int element, \
     void** value))                                                                                          \
  X(IsTensor, 50, void*, (const void* value, int* result))                                                   \
  X(GetTensorMutableData, 51, void*, (void* value, void** data))                                             \
  X(GetTensorElementType, 60, void*, (const void* tensor, int* element))                                     \
  X(GetTensorShapeElementCount, 64, void*, (const void* tensor, size_t* elements))                           \
  X(GetTensorTypeAndShape, 65, void*, (const void* value, void** tensor))                                    \
  X(CreateCpuMemoryInfo, 69, void*, (int allocator_type, int memory_type, void** memory_info))               \
  X(AllocatorFree, 76, void*, (void* allocator, void* memory))                                               \
  X(GetAllocatorWithDefaultOptions, 78, void*, (void** allocator))                                           \
  X(ReleaseStatus, 93, void, (void* status))                                                                 \
  X(ReleaseSession, 95, void, (void* session))                                                               \
  X(ReleaseValue, 96, void, (void* value))                                                                   \
  X(ReleaseTensorTypeAndShapeInfo, 99, void, (void* tensor))                                                 \
  X(ReleaseSessionOptions, 100, void, (void* options))                                                       \
  X(SessionEndProfiling, 110, void*, (void* session, void* allocator, char** path))
inline constexpr uint32_t kOrtApiVersion = 2;
inline constexpr int kOrtSeverityFatal = 4;
inline constexpr int kOrtAllOptimizations = 99;
inline constexpr int kOrtDeviceAllocator = 0;
inline constexpr int kOrtDefaultMemory = 0;

/// The loaded library, with the one environment that a process should have. Lives until the process ends.
class OrtApi {
 public:
  static Status open(const std::string& path, OrtApi* api);

#define XSP_DECLARE(name, slot, result, parameters) result(*name) parameters = nullptr;
  XSP_ORT_FUNCTIONS(XSP_DECLARE)
#undef XSP_DECLARE

  const std::string& path() const { return file_.path(); }
  const std::string& version() const { return version_; }
  void* environment() const { return environment_; }
  void* allocator() const { return allocator_; }
  void* memory_info() const { return memory_info_; }

  /// The library's word of a status, in one line; the status is released.
  Status take(void* status) const;

 private:
  SharedLibrary file_;
  std::string version_;
  void* environment_ = nullptr;
  void* allocator_ = nullptr;
  void* memory_info_ = nullptr;
};

}  // namespace xsp::bound
