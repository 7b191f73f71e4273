// For cuGetProcAddress: a table, so that looking something up passes no function that others may have wrapped.
#include <cstring>

#include "entry.h"

using namespace fake;

#define FUNCTIONS(X)                                                                                                   \
  X(cuInit)                                                                                                            \
  X(cuDriverGetVersion)                                                                                                \
  X(cuGetExportTable)                                                                                                  \
  X(cuDeviceGetCount)                                                                                                  \
  X(cuDeviceGet) X(cuDeviceGetName) X(cuDeviceGetUuid) X(cuDeviceGetUuid_v2) X(cuDeviceTotalMem_v2) X(                 \
      cuDeviceGetAttribute) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease) X(cuDevicePrimaryCtxRelease_v2)   \
      X(cuDevicePrimaryCtxReset) X(cuDevicePrimaryCtxReset_v2) X(cuDevicePrimaryCtxGetState) X(cuCtxGetCurrent) X(     \
          cuCtxSetCurrent) X(cuCtxPushCurrent_v2) X(cuCtxPopCurrent_v2) X(cuCtxCreate_v2) X(cuCtxDestroy_v2)           \
          X(cuCtxGetDevice) X(cuCtxSynchronize) X(cuModuleLoadData) X(cuModuleLoadFatBinary) X(cuModuleUnload) X(      \
              cuModuleGetFunction) X(cuLibraryLoadData) X(cuLibraryUnload) X(cuLibraryGetKernel)                       \
              X(cuKernelGetFunction) X(cuFuncGetName) X(cuGetErrorString) X(cuGetErrorName) X(cuLaunchKernel) X(       \
                  cuLaunchKernel_ptsz) X(cuLaunchCooperativeKernel) X(cuLaunchCooperativeKernel_ptsz)                  \
                  X(cuLaunchKernelEx) X(cuLaunchKernelEx_ptsz) X(cuMemAlloc_v2) X(cuMemFree_v2) X(                     \
                      cuMemAllocHost_v2) X(cuMemHostAlloc) X(cuMemFreeHost) X(cuMemcpyAsync) X(cuMemcpyAsync_ptsz)     \
                      X(cuMemcpyHtoDAsync_v2) X(cuMemcpyHtoDAsync_v2_ptsz) X(cuMemcpyDtoHAsync_v2) X(                  \
                          cuMemcpyDtoHAsync_v2_ptsz) X(cuMemcpyDtoDAsync_v2) X(cuMemcpyDtoDAsync_v2_ptsz) X(cuMemcpy)  \
                          X(cuMemcpy_ptds) X(cuMemcpyHtoD_v2) X(cuMemcpyHtoD_v2_ptds) X(cuMemcpyDtoH_v2) X(            \
                              cuMemcpyDtoH_v2_ptds) X(cuMemcpyDtoD_v2) X(cuMemcpyDtoD_v2_ptds) X(cuMemsetD8Async)      \
                              X(cuMemsetD8Async_ptsz) X(cuMemsetD32Async) X(cuMemsetD32Async_ptsz) X(cuMemsetD8_v2) X( \
                                  cuStreamCreate) X(cuStreamCreateWithPriority) X(cuStreamDestroy_v2)                  \
                                  X(cuStreamSynchronize) X(cuStreamSynchronize_ptsz) X(cuStreamQuery) X(               \
                                      cuStreamQuery_ptsz) X(cuStreamWaitEvent) X(cuStreamWaitEvent_ptsz)               \
                                      X(cuStreamBeginCapture_v2) X(cuStreamBeginCapture_v2_ptsz) X(cuStreamEndCapture) \
                                          X(cuStreamEndCapture_ptsz) X(cuStreamIsCapturing)                            \
                                              X(cuStreamIsCapturing_ptsz) X(cuThreadExchangeStreamCaptureMode)         \
                                                  X(cuEventCreate) X(cuEventDestroy_v2) X(cuEventRecord) X(            \
                                                      cuEventRecord_ptsz) X(cuEventQuery) X(cuEventSynchronize)        \
                                                      X(cuEventElapsedTime) X(cuEventElapsedTime_v2) X(cuGraphCreate)  \
                                                          X(cuGraphAddKernelNode_v2) X(cuGraphAddChildGraphNode)       \
                                                              X(cuGraphAddEmptyNode) X(cuGraphAddNode) X(              \
                                                                  cuGraphAddNode_v2) X(cuGraphConditionalHandleCreate) \
                                                                  X(cuGraphClone) X(cuGraphInstantiateWithFlags)       \
                                                                      X(cuGraphInstantiate_v2) X(cuGraphDestroy)       \
                                                                          X(cuGraphExecDestroy) X(cuGraphGetNodes)     \
                                                                              X(cuGraphLaunch) X(cuGraphLaunch_ptsz)   \
                                                                                  X(cuGetProcAddress_v2)

namespace fake_names {
#define DECLARE(name) extern "C" int name();
FUNCTIONS(DECLARE)
#undef DECLARE
}  // namespace fake_names

namespace {

struct Entry {
  const char* name;
  int (*function)();
};
const Entry kFunctions[] = {
#define ENTRY(name) {#name, fake_names::name},
    FUNCTIONS(ENTRY)
#undef ENTRY
};

void* named(const std::string& name) {
  for (const Entry& entry : kFunctions)
    if (name == entry.name) return reinterpret_cast<void*>(entry.function);
  return nullptr;
}

}  // namespace

void* fake::find_function(const char* symbol, bool per_thread) {
  for (const char* end : {"_v2_ptsz", "_v2_ptds", "_ptsz", "_ptds", "_v2", ""}) {
    if (!per_thread && strstr(end, "_pt") != nullptr) continue;
    if (void* const function = named(std::string(symbol) + end)) return function;
  }
  return nullptr;
}
