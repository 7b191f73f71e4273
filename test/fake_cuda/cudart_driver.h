#ifndef XSP_TEST_FAKE_CUDA_CUDART_DRIVER_H
#define XSP_TEST_FAKE_CUDA_CUDART_DRIVER_H

/* How the stand-in libcudart uses the driver: opens it at the first call, uses the current device's primary context,
 * and surrounds its calls with callbacks of the runtime domain. Without a driver it skips all that. */

#include <pthread.h>

#include "driver_launch.h"

typedef struct {
  unsigned x, y, z;
} dim3;

#define DRIVER_FUNCTIONS(X)                                                                               \
  X(cuInit, (unsigned))                                                                                   \
  X(cuCtxGetCurrent, (void**))                                                                            \
  X(cuCtxSetCurrent, (void*))                                                                             \
  X(cuCtxSynchronize, (void))                                                                             \
  X(cuDeviceGetCount, (int*))                                                                             \
  X(cuDevicePrimaryCtxRetain, (void**, int))                                                              \
  X(cuDevicePrimaryCtxReset, (int))                                                                       \
  X(cuModuleLoadData, (void**, const void*))                                                              \
  X(cuModuleGetFunction, (void**, void*, const char*))                                                    \
  X(cuLaunchKernel,                                                                                       \
    (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**)) \
  X(cuLaunchCooperativeKernel,                                                                            \
    (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**))         \
  X(cuLaunchKernelEx, (const void*, void*, void**, void**))                                               \
  X(cuMemAlloc, (void**, size_t))                                                                         \
  X(cuMemFree, (void*))                                                                                   \
  X(cuMemAllocHost, (void**, size_t))                                                                     \
  X(cuMemFreeHost, (void*))                                                                               \
  X(cuMemcpy, (void*, const void*, size_t))                                                               \
  X(cuMemcpyAsync, (void*, const void*, size_t, void*))                                                   \
  X(cuMemcpyHtoD, (void*, const void*, size_t))                                                           \
  X(cuMemcpyDtoH, (void*, const void*, size_t))                                                           \
  X(cuMemcpyHtoDAsync, (void*, const void*, size_t, void*))                                               \
  X(cuMemcpyDtoHAsync, (void*, const void*, size_t, void*))                                               \
  X(cuMemcpyDtoDAsync, (void*, const void*, size_t, void*))                                               \
  X(cuMemsetD8, (void*, unsigned char, size_t))                                                           \
  X(cuMemsetD8Async, (void*, unsigned char, size_t, void*))                                               \
  X(cuStreamCreate, (void**, unsigned))                                                                   \
  X(cuStreamDestroy, (void*))                                                                             \
  X(cuStreamSynchronize, (void*))                                                                         \
  X(cuStreamQuery, (void*))                                                                               \
  X(cuStreamWaitEvent, (void*, void*, unsigned))                                                          \
  X(cuStreamBeginCapture, (void*, int))                                                                   \
  X(cuStreamEndCapture, (void*, void**))                                                                  \
  X(cuStreamIsCapturing, (void*, int*))                                                                   \
  X(cuThreadExchangeStreamCaptureMode, (int*))                                                            \
  X(cuEventCreate, (void**, unsigned))                                                                    \
  X(cuEventRecord, (void*, void*))                                                                        \
  X(cuEventQuery, (void*))                                                                                \
  X(cuEventSynchronize, (void*))                                                                          \
  X(cuEventElapsedTime, (float*, void*, void*))                                                           \
  X(cuEventDestroy, (void*))                                                                              \
  X(cuGraphClone, (void**, void*))                                                                        \
  X(cuGraphInstantiateWithFlags, (void**, void*, unsigned long long))                                     \
  X(cuGraphLaunch, (void*, void*))                                                                        \
  X(cuGraphDestroy, (void*))                                                                              \
  X(cuGraphExecDestroy, (void*))

/* [0]: for the legacy default stream, [1]: for per-thread ones. */
typedef struct {
#define MEMBER(name, parameters) int(*name[2]) parameters;
  DRIVER_FUNCTIONS(MEMBER)
#undef MEMBER
  const fake_driver* table;
} runtime_driver;

static runtime_driver the_driver;
static pthread_once_t driver_looked_for = PTHREAD_ONCE_INIT;
static __thread int current_device;
static __thread int last_error;

static void look_for_driver(void) {
  const driver_functions* found = fake_driver_functions();
  if (found == NULL) return;
  for (int per_thread = 0; per_thread < 2; ++per_thread) {
#define GET(name, parameters) \
  found->get(#name, (void**)&the_driver.name[per_thread], CUDA_MAJOR * 1000, per_thread ? 2 : 0, NULL);
    DRIVER_FUNCTIONS(GET)
#undef GET
  }
  the_driver.table = found->table;
}

/* Null: no driver. */
static const runtime_driver* driver(void) {
  pthread_once(&driver_looked_for, look_for_driver);
  return the_driver.table == NULL ? NULL : &the_driver;
}

/* The first call of a thread makes a context current. To be called inside a runtime call. */
static int ensure_context(const runtime_driver* d) {
  void* context = NULL;
  int status = d->cuInit[0](0);
  if (status != 0) return status;
  if (d->cuCtxGetCurrent[0](&context) == 0 && context != NULL) return 0;
  status = d->cuDevicePrimaryCtxRetain[0](&context, current_device);
  return status != 0 ? status : d->cuCtxSetCurrent[0](context);
}

/* Kernels by their host function, as the compiler's stubs register them. */
typedef struct kernel {
  const void* host;
  const char* symbol;
  void* function;
  struct kernel* next;
} kernel;
static kernel* kernels;
static void* kernel_module;
static pthread_mutex_t kernels_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((unused)) static kernel* add_kernel(const void* host, const char* name) {
  kernel* added = (kernel*)calloc(1, sizeof *added);
  pthread_mutex_lock(&kernels_lock);
  *added = (kernel){host, strdup(name), NULL, kernels};
  kernels = added;
  pthread_mutex_unlock(&kernels_lock);
  return added;
}

/* By the host function or a kernel's handle (CUDA 13). An unregistered one is named after its symbol. */
static kernel* find_kernel(const void* function) {
  kernel* found;
  pthread_mutex_lock(&kernels_lock);
  for (found = kernels; found != NULL && found->host != function && found != function; found = found->next) {
  }
  pthread_mutex_unlock(&kernels_lock);
  if (found != NULL) return found;
  Dl_info info;
  return add_kernel(function, dladdr(function, &info) != 0 && info.dli_saddr == function && info.dli_sname != NULL
                                  ? info.dli_sname
                                  : "unregistered_kernel");
}

static int driver_function(const runtime_driver* d, kernel* of) {
  if (of->function != NULL) return 0;
  if (kernel_module == NULL) {
    const int status = d->cuModuleLoadData[0](&kernel_module, "image");
    if (status != 0) return status;
  }
  return d->cuModuleGetFunction[0](&of->function, kernel_module, of->symbol);
}

#endif
