#include "inject/cupti/library/api_functions.h"

#include <string>

#include "test/catch.h"

namespace {

using namespace xsp::guest;

std::string group(const char* function) { return std::string(name_of(group_of(function))); }

TEST_CASE("the version that CUPTI appends is cut off, that of the driver's own names stays") {
  CHECK(without_version("cudaLaunchKernel_v7000") == "cudaLaunchKernel");
  CHECK(without_version("cudaLaunchKernel_ptsz_v7000") == "cudaLaunchKernel_ptsz");
  CHECK(without_version("cudaGetDeviceProperties_v2_v12000") == "cudaGetDeviceProperties_v2");
  CHECK(without_version("cuMemFree_v2") == "cuMemFree_v2");
  CHECK(without_version("cuLaunchKernel") == "cuLaunchKernel");
  CHECK(without_version("_v7000") == "");
  CHECK(without_version("") == "");
}

TEST_CASE("functions are told apart by their names") {
  for (const char* name : {"cudaLaunchKernel", "__cudaLaunchKernel_ptsz", "cudaLaunchKernelExC", "cuLaunchKernelEx",
                           "cudaLaunchCooperativeKernel", "cuLaunchGridAsync", "cudaGraphLaunch", "cuGraphLaunch_ptsz",
                           "cudaLaunchHostFunc", "cuStreamAddCallback"}) {
    CHECK(group(name) == "launch");
  }
  for (const char* name : {"cudaMemcpyAsync_ptsz", "cuMemcpyHtoDAsync_v2", "cudaMemPrefetchAsync", "cuMemcpyPeer"}) {
    CHECK(group(name) == "copy");
  }
  for (const char* name : {"cudaMemset", "cuMemsetD2D32Async", "cu64MemsetD8"}) CHECK(group(name) == "memset");
  for (const char* name : {"cudaDeviceSynchronize", "cuCtxSynchronize_v2", "cudaStreamWaitEvent_ptsz",
                           "cuStreamWaitValue32_v2", "cudaEventSynchronize"}) {
    CHECK(group(name) == "sync");
  }
  for (const char* name : {"cudaMalloc", "cuMemAlloc_v2", "cudaFreeAsync_ptsz", "cuMemPoolTrimTo", "cudaHostRegister",
                           "cuMemMap", "cudaMallocFromPoolAsync"}) {
    CHECK(group(name) == "memory");
  }
  for (const char* name : {"cudaGraphInstantiate", "cudaStreamBeginCapture_ptsz", "cuStreamEndCapture", "cuGraphClone",
                           "cudaGraphExecUpdate", "cudaGraphAddKernelNode", "cuGraphUpload"}) {
    CHECK(group(name) == "graph");
  }
  for (const char* name : {"cudaGetDevice", "cudaSetDevice", "cudaGetLastError", "cudaPeekAtLastError",
                           "cuCtxGetCurrent", "cuCtxSetCurrent", "cuKernelGetAttribute", "cuDevicePrimaryCtxGetState",
                           "cudaEventQuery", "cudaStreamIsCapturing", "cuPointerGetAttributes", "cudaFuncGetAttributes",
                           "cuGetProcAddress_v2", "__cudaPushCallConfiguration", "cudaMemGetInfo",
                           "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cuGraphKernelNodeGetParams"}) {
    CHECK(group(name) == "query");
  }
  CHECK(group("cuModuleLoadData") == "module");
  CHECK(group("cuModuleGetFunction") == "module");
  CHECK(group("cuLibraryLoadData") == "module");
  CHECK(group("cudaEventRecord") == "event");
  CHECK(group("cudaStreamCreateWithFlags") == "stream");
  CHECK(group("cuInit") == "other");
  CHECK(group("cudaGraphicsMapResources") == "other");
  CHECK(group("") == "other");
}

TEST_CASE("without a list the usual groups are chosen") {
  CHECK(is_chosen("", "cudaLaunchKernel"));
  CHECK(is_chosen("", "cuMemcpyDtoH_v2"));
  CHECK(is_chosen("", "cudaGraphInstantiate"));
  CHECK_FALSE(is_chosen("", "cudaGetDevice"));
  CHECK_FALSE(is_chosen("", "cudaEventRecord"));
}

TEST_CASE("a list names groups, functions and globs, and the last word that fits decides") {
  CHECK(is_chosen("event", "cudaEventRecord"));
  CHECK_FALSE(is_chosen("event", "cudaMalloc"));
  CHECK(is_chosen("all,-query", "cuInit"));
  CHECK_FALSE(is_chosen("all,-query", "cudaGetDevice"));
  CHECK(is_chosen("copy, cuda*Malloc*", "cudaMallocAsync"));
  CHECK_FALSE(is_chosen("copy,cuda*Malloc*", "cuMemAlloc_v2"));
  CHECK(is_chosen("cuMem?lloc_v2", "cuMemAlloc_v2"));
  CHECK_FALSE(is_chosen("memory,-cudaFree", "cudaFree"));
  CHECK(is_chosen("memory,-cudaFree", "cudaFreeAsync"));
  CHECK(is_chosen("none,sync", "cudaDeviceSynchronize"));
  CHECK_FALSE(is_chosen("sync,none", "cudaDeviceSynchronize"));
  CHECK_FALSE(is_chosen(",,", "cudaMalloc"));
}

TEST_CASE("a list that begins by leaving out starts from the usual groups") {
  CHECK(is_chosen("-memory", "cudaMemcpy"));
  CHECK_FALSE(is_chosen("-memory", "cudaMalloc"));
  CHECK_FALSE(is_chosen("-memory", "cudaGetDevice"));
}

TEST_CASE("launches are always chosen: executions are found by them") {
  CHECK(is_chosen("none", "cudaLaunchKernel"));
  CHECK(is_chosen("all,-launch", "cuGraphLaunch"));
  CHECK(is_chosen("-cudaLaunchKernel", "cudaLaunchKernel"));
}

}  // namespace
