#pragma once

#include <cstddef>
#include <cstdint>

/// What the guest needs of ONNX Runtime's C ABI (onnxruntime_c_api.h): a table of functions, whose slots never move
/// once a version has shipped; later ones only append. Objects are opaque, a status of null is success.
namespace xsp::guest::ort {

using Status = void*;
using Slot = void*;

struct ApiBase {
  const Slot* (*get_api)(uint32_t version);
  const char* (*version_string)();
};

/// Called by ONNX Runtime when an asynchronous run has ended.
using RunCallback = void (*)(void* user_data, void** outputs, size_t count, Status status);

/// name, slot, first version of the API that has it, parameters
#define XSP_ORT_STATUS_FUNCTIONS(X)                                                                                  \
  X(CreateSession, 7, 1, (const void* env, const char* path, const void* options, void** session))                   \
  X(CreateSessionFromArray, 8, 1,                                                                                    \
    (const void* env, const void* data, size_t bytes, const void* options, void** session))                          \
  X(Run, 9, 1,                                                                                                       \
    (void* session, const void* run_options, const char* const* input_names, const void* const* inputs,              \
     size_t input_count, const char* const* output_names, size_t output_count, void** outputs))                      \
  X(CreateSessionOptions, 10, 1, (void** options))                                                                   \
  X(CloneSessionOptions, 12, 1, (const void* options, void** copy))                                                  \
  X(SetSessionExecutionMode, 13, 1, (void* options, int mode))                                                       \
  X(EnableProfiling, 14, 1, (void* options, const char* prefix))                                                     \
  X(DisableProfiling, 15, 1, (void* options))                                                                        \
  X(SetIntraOpNumThreads, 24, 1, (void* options, int threads))                                                       \
  X(SetInterOpNumThreads, 25, 1, (void* options, int threads))                                                       \
  X(CreateRunOptions, 39, 1, (void** options))                                                                       \
  X(IsTensor, 50, 1, (const void* value, int* result))                                                               \
  X(GetDimensionsCount, 61, 1, (const void* info, size_t* count))                                                    \
  X(GetDimensions, 62, 1, (const void* info, int64_t* dimensions, size_t count))                                     \
  X(GetTensorTypeAndShape, 65, 1, (const void* value, void** info))                                                  \
  X(AllocatorAlloc, 75, 1, (void* allocator, size_t bytes, void** memory))                                           \
  X(AllocatorFree, 76, 1, (void* allocator, void* memory))                                                           \
  X(GetAllocatorWithDefaultOptions, 78, 1, (void** allocator))                                                       \
  X(SessionEndProfiling, 110, 2, (void* session, void* allocator, char** path))                                      \
  X(SessionGetModelMetadata, 111, 2, (const void* session, void** metadata))                                         \
  X(ModelMetadataGetGraphName, 113, 2, (const void* metadata, void* allocator, char** name))                         \
  X(DisablePerSessionThreads, 120, 4, (void* options))                                                               \
  X(RunWithBinding, 133, 5, (void* session, const void* run_options, const void* binding))                           \
  X(SessionGetProfilingStartTimeNs, 146, 5, (const void* session, uint64_t* nanoseconds))                            \
  X(CreateSessionWithPrepackedWeightsContainer, 168, 8,                                                              \
    (const void* env, const char* path, const void* options, void* weights, void** session))                         \
  X(CreateSessionFromArrayWithPrepackedWeightsContainer, 169, 8,                                                     \
    (const void* env, const void* data, size_t bytes, const void* options, void* weights, void** session))           \
  X(RunAsync, 260, 16,                                                                                               \
    (void* session, const void* run_options, const char* const* input_names, const void* const* inputs,              \
     size_t input_count, const char* const* output_names, size_t output_count, void** outputs, RunCallback callback, \
     void* user_data))                                                                                               \
  X(GetTensorElementTypeAndShapeDataReference, 414, 25,                                                              \
    (const void* value, int* type, const int64_t** dimensions, size_t* count))                                       \
  X(RunOptionsEnableProfiling, 415, 25, (void* options, const char* prefix))                                         \
  X(RunOptionsDisableProfiling, 416, 25, (void* options))

#define XSP_ORT_RELEASE_FUNCTIONS(X)      \
  X(ReleaseStatus, 93, 1)                 \
  X(ReleaseSession, 95, 1)                \
  X(ReleaseRunOptions, 97, 1)             \
  X(ReleaseTensorTypeAndShapeInfo, 99, 1) \
  X(ReleaseSessionOptions, 100, 1)        \
  X(ReleaseModelMetadata, 118, 2)

/// The slot of a function that returns another table, with the functions that make sessions from models in memory.
inline constexpr uint32_t kGetModelEditorApiSlot = 291;
inline constexpr uint32_t kModelEditorVersion = 22;
using GetModelEditorApi = const Slot* (*)();
inline constexpr uint32_t kCreateSessionFromModelSlot = 14;
using CreateSessionFromModel = Status (*)(const void* env, const void* model, const void* options, void** session);

/// The functions of one table as they were before it was patched; null where its version does not have one.
struct Api {
#define XSP_DECLARE(name, slot, since, parameters) Status(*name) parameters;
  XSP_ORT_STATUS_FUNCTIONS(XSP_DECLARE)
#undef XSP_DECLARE
#define XSP_DECLARE(name, slot, since) void (*name)(void*);
  XSP_ORT_RELEASE_FUNCTIONS(XSP_DECLARE)
#undef XSP_DECLARE
  ort::CreateSessionFromModel CreateSessionFromModel;
};

/// ORT_PARALLEL of ExecutionMode: operators that do not wait for each other run at the same time.
inline constexpr int kParallel = 1;

/// Where a function lies, and in which versions.
struct Place {
  uint32_t slot;
  uint32_t since;
};
namespace places {
#define XSP_DECLARE(name, slot, since, ...) inline constexpr Place name{slot, since};
XSP_ORT_STATUS_FUNCTIONS(XSP_DECLARE)
XSP_ORT_RELEASE_FUNCTIONS(XSP_DECLARE)
#undef XSP_DECLARE
}  // namespace places

/// Takes, and releases, a status that the program must not see.
inline bool succeeded(const Api& api, Status status) {
  if (status != nullptr) api.ReleaseStatus(status);
  return status == nullptr;
}

}  // namespace xsp::guest::ort
