/* ONNX Runtime's C ABI as far as the tests use it: slots of the table and their functions. Statuses, sessions and the
 * like are opaque; null is success. */
#ifndef ORT_C_API_H
#define ORT_C_API_H

#include <stddef.h>
#include <stdint.h>

typedef void* Opaque;
typedef void (*RunDone)(void* user_data, Opaque* outputs, size_t count, Opaque status);

typedef struct {
  const Opaque* (*GetApi)(uint32_t version);
  const char* (*GetVersionString)(void);
} ApiBase;

#ifdef __cplusplus
extern "C"
#endif
    const ApiBase*
    OrtGetApiBase(void);

enum Slot {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kCreateSessionFromArray = 8,
  kRun = 9,
  kCreateSessionOptions = 10,
  kCloneSessionOptions = 12,
  kSetSessionExecutionMode = 13,
  kEnableProfiling = 14,
  kDisableProfiling = 15,
  kSetIntraOpNumThreads = 24,
  kSetInterOpNumThreads = 25,
  kSessionGetOutputName = 37,
  kCreateRunOptions = 39,
  kCreateTensorWithData = 49,
  kIsTensor = 50,
  kGetTensorMutableData = 51,
  kGetDimensionsCount = 61,
  kGetDimensions = 62,
  kGetTensorTypeAndShape = 65,
  kCreateCpuMemoryInfo = 69,
  kAllocatorAlloc = 75,
  kAllocatorFree = 76,
  kGetAllocatorWithDefaultOptions = 78,
  kReleaseStatus = 93,
  kReleaseSession = 95,
  kReleaseValue = 96,
  kReleaseRunOptions = 97,
  kReleaseTensorTypeAndShapeInfo = 99,
  kReleaseSessionOptions = 100,
  kSessionEndProfiling = 110,
  kSessionGetModelMetadata = 111,
  kModelMetadataGetGraphName = 113,
  kReleaseModelMetadata = 118,
  kDisablePerSessionThreads = 120,
  kRunWithBinding = 133,
  kCreateIoBinding = 134,
  kReleaseIoBinding = 135,
  kBindInput = 136,
  kBindOutputToDevice = 138,
  kSessionGetProfilingStartTimeNs = 146,
  kCreateSessionPrepacked = 168,
  kCreateSessionFromArrayPrepacked = 169,
  kCreatePrepackedWeights = 166,
  kRunAsync = 260,
  kGetTensorElementTypeAndShapeDataReference = 414,
  kRunOptionsEnableProfiling = 415,
  kRunOptionsDisableProfiling = 416,
  kSlots = 417
};

/* ORT(api, kRun, (Opaque, ...))(session, ...): a function that returns a status. */
#define ORT(api, slot, parameters) ((Opaque(*) parameters)(api)[slot])
#define ORT_VOID(api, slot) ((void (*)(Opaque))(api)[slot])

#endif
