/* libcudart.so.CUDA_MAJOR: launches and copies that succeed on the host. From 13 on the compiler's stubs launch by
 * __cudaLaunchKernel. */
#include "behaviour.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct {
  unsigned x, y, z;
} dim3;

typedef struct {
  dim3 grid, block;
  size_t shared;
  void* stream;
  void* attributes;
  unsigned attribute_count;
} launch_config;

static int launch(const char* name, const void* function, dim3 grid, dim3 block, size_t shared, void* stream) {
  return behave(name, "function=%p grid=%u,%u,%u block=%u,%u,%u shared=%zu stream=%p", function, grid.x, grid.y, grid.z,
                block.x, block.y, block.z, shared, stream);
}

#define LAUNCH(name)                                                                                            \
  EXPORT int name(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, void* stream) { \
    (void)arguments;                                                                                            \
    return launch(#name, function, grid, block, shared, stream);                                                \
  }
#define LAUNCH_BY_CONFIG(name)                                                                   \
  EXPORT int name(const launch_config* config, const void* function, void** arguments) {         \
    (void)arguments;                                                                             \
    return launch(#name, function, config->grid, config->block, config->shared, config->stream); \
  }

LAUNCH(cudaLaunchKernel)
LAUNCH(cudaLaunchKernel_ptsz)
LAUNCH(cudaLaunchCooperativeKernel)
LAUNCH(cudaLaunchCooperativeKernel_ptsz)
LAUNCH_BY_CONFIG(cudaLaunchKernelExC)
LAUNCH_BY_CONFIG(cudaLaunchKernelExC_ptsz)
#if CUDA_MAJOR >= 13
LAUNCH(__cudaLaunchKernel)
LAUNCH(__cudaLaunchKernel_ptsz)
#endif

EXPORT int cudaGraphLaunch(void* graph, void* stream) {
  return behave("cudaGraphLaunch", "graph=%p stream=%p", graph, stream);
}
EXPORT int cudaGraphLaunch_ptsz(void* graph, void* stream) {
  return behave("cudaGraphLaunch_ptsz", "graph=%p stream=%p", graph, stream);
}

EXPORT int cudaMalloc(void** pointer, size_t size) {
  *pointer = malloc(size);
  return behave("cudaMalloc", "size=%zu", size);
}
EXPORT int cudaFree(void* pointer) {
  free(pointer);
  return behave("cudaFree", "%s", "");
}
EXPORT int cudaMemcpy(void* to, const void* from, size_t count, int kind) {
  memcpy(to, from, count);
  return behave("cudaMemcpy", "count=%zu kind=%d", count, kind);
}
EXPORT int cudaMemcpyAsync(void* to, const void* from, size_t count, int kind, void* stream) {
  memcpy(to, from, count);
  return behave("cudaMemcpyAsync", "count=%zu kind=%d stream=%p", count, kind, stream);
}
EXPORT int cudaStreamCreate(void** stream) {
  *stream = malloc(1);
  return behave("cudaStreamCreate", "%s", "");
}
EXPORT int cudaStreamDestroy(void* stream) {
  free(stream);
  return behave("cudaStreamDestroy", "%s", "");
}
EXPORT int cudaStreamSynchronize(void* stream) { return behave("cudaStreamSynchronize", "stream=%p", stream); }
EXPORT int cudaDeviceSynchronize(void) { return behave("cudaDeviceSynchronize", "%s", ""); }
EXPORT int cudaRuntimeGetVersion(int* version) {
  *version = CUDA_MAJOR * 1000;
  return 0;
}
