/* libcudart.so.CUDA_MAJOR: by the driver, where there is a stand-in libcuda; else launches and copies that succeed on
 * the host. From 13 on the compiler's stubs launch by __cudaLaunchKernel. */
#include "behaviour.h"
#include "cudart_driver.h"

#define EXPORT __attribute__((visibility("default")))

enum { kNoDriver = 35, kInvalidDevice = 101 };

typedef struct {
  dim3 grid, block;
  size_t shared;
  void* stream;
  void* attributes;
  unsigned attribute_count;
} launch_config;

typedef struct { /* CUlaunchConfig */
  dim3 grid, block;
  unsigned shared;
  void* stream;
  void* attributes;
  unsigned attribute_count;
} driver_launch_config;

/* A call with its callbacks: LOG is what behave() said, WORK what is done with the driver `d`, OTHERWISE what without
 * one. */
#define CALL_WITH(CONTEXT, NAME, CALLBACK, PARAMETERS, SYMBOL, LOG, WORK, OTHERWISE) \
  do {                                                                               \
    const runtime_driver* const d = driver();                                        \
    fake_call call;                                                                  \
    memset(&call, 0, sizeof call);                                                   \
    call.domain = kFakeRuntimeDomain;                                                \
    call.callback = CALLBACK;                                                        \
    call.name = NAME;                                                                \
    call.parameters = PARAMETERS;                                                    \
    call.symbol = SYMBOL;                                                            \
    if (d != NULL) d->table->enter(&call);                                           \
    int status = (LOG);                                                              \
    if (status == 0 && d != NULL && (CONTEXT)) status = ensure_context(d);           \
    if (status == 0) {                                                               \
      if (d != NULL)                                                                 \
        status = (WORK);                                                             \
      else                                                                           \
        status = (OTHERWISE);                                                        \
    }                                                                                \
    if (status != 0) last_error = status;                                            \
    call.result = &status;                                                           \
    if (d != NULL) d->table->exit(&call);                                            \
    return status;                                                                   \
  } while (0)
#define CALL(NAME, CALLBACK, PARAMETERS, LOG, WORK, OTHERWISE) \
  CALL_WITH(1, NAME, CALLBACK, PARAMETERS, NULL, LOG, WORK, OTHERWISE)

static int log_launch(const char* name, const void* function, dim3 grid, dim3 block, size_t shared, void* stream) {
  return behave(name, "function=%p grid=%u,%u,%u block=%u,%u,%u shared=%zu stream=%p", function, grid.x, grid.y, grid.z,
                block.x, block.y, block.z, shared, stream);
}

static int launch(const runtime_driver* d, int per_thread, int cooperative, kernel* of, dim3 grid, dim3 block,
                  size_t shared, void* stream, void** arguments) {
  const int status = driver_function(d, of);
  if (status != 0) return status;
  if (cooperative)
    return d->cuLaunchCooperativeKernel[per_thread](of->function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                    (unsigned)shared, stream, arguments);
  return d->cuLaunchKernel[per_thread](of->function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                       (unsigned)shared, stream, arguments, NULL);
}

static int launch_by_config(const runtime_driver* d, int per_thread, kernel* of, const launch_config* config,
                            void** arguments) {
  const driver_launch_config converted = {config->grid,   config->block,      (unsigned)config->shared,
                                          config->stream, config->attributes, config->attribute_count};
  const int status = driver_function(d, of);
  return status != 0 ? status : d->cuLaunchKernelEx[per_thread](&converted, of->function, arguments, NULL);
}

#define LAUNCH(name, callback, per_thread, cooperative)                                                              \
  EXPORT int name(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, void* stream) {      \
    struct {                                                                                                         \
      const void* function;                                                                                          \
      dim3 grid, block;                                                                                              \
      void** arguments;                                                                                              \
      size_t shared;                                                                                                 \
      void* stream;                                                                                                  \
    } parameters = {function, grid, block, arguments, shared, stream};                                               \
    kernel* const of = find_kernel(function);                                                                        \
    CALL_WITH(1, #name, callback, &parameters, of->symbol, log_launch(#name, function, grid, block, shared, stream), \
              launch(d, per_thread, cooperative, of, grid, block, shared, stream, arguments), 0);                    \
  }
#define LAUNCH_BY_CONFIG(name, callback, per_thread)                                                    \
  EXPORT int name(const launch_config* config, const void* function, void** arguments) {                \
    struct {                                                                                            \
      const launch_config* config;                                                                      \
      const void* function;                                                                             \
      void** arguments;                                                                                 \
    } parameters = {config, function, arguments};                                                       \
    kernel* const of = find_kernel(function);                                                           \
    CALL_WITH(1, #name, callback, &parameters, of->symbol,                                              \
              log_launch(#name, function, config->grid, config->block, config->shared, config->stream), \
              launch_by_config(d, per_thread, of, config, arguments), 0);                               \
  }

LAUNCH(cudaLaunchKernel, 211, 0, 0)
LAUNCH(cudaLaunchKernel_ptsz, 214, 1, 0)
LAUNCH(cudaLaunchCooperativeKernel, 269, 0, 1)
LAUNCH(cudaLaunchCooperativeKernel_ptsz, 270, 1, 1)
LAUNCH_BY_CONFIG(cudaLaunchKernelExC, 430, 0)
LAUNCH_BY_CONFIG(cudaLaunchKernelExC_ptsz, 431, 1)
#if CUDA_MAJOR >= 13
LAUNCH(__cudaLaunchKernel, 505, 0, 0)
LAUNCH(__cudaLaunchKernel_ptsz, 506, 1, 0)
#endif

#define GRAPH_LAUNCH(name, callback, per_thread)                                           \
  EXPORT int name(void* graph, void* stream) {                                             \
    struct {                                                                               \
      void *graph, *stream;                                                                \
    } parameters = {graph, stream};                                                        \
    CALL(#name, callback, &parameters, behave(#name, "graph=%p stream=%p", graph, stream), \
         d->cuGraphLaunch[per_thread](graph, stream), 0);                                  \
  }
GRAPH_LAUNCH(cudaGraphLaunch, 311, 0)
GRAPH_LAUNCH(cudaGraphLaunch_ptsz, 312, 1)

static int allocate_on_host(void** pointer, size_t size) { return (*pointer = malloc(size)) == NULL ? 2 : 0; }
static int free_on_host(void* pointer) {
  free(pointer);
  return 0;
}
static int copy_on_host(void* to, const void* from, size_t count) {
  memcpy(to, from, count);
  return 0;
}
static int copy(const runtime_driver* d, int per_thread, void* to, const void* from, size_t count, int kind) {
  return kind == 1   ? d->cuMemcpyHtoD[per_thread](to, from, count)
         : kind == 2 ? d->cuMemcpyDtoH[per_thread](to, from, count)
                     : d->cuMemcpy[per_thread](to, from, count);
}
static int copy_async(const runtime_driver* d, int per_thread, void* to, const void* from, size_t count, int kind,
                      void* stream) {
  return kind == 1   ? d->cuMemcpyHtoDAsync[per_thread](to, from, count, stream)
         : kind == 2 ? d->cuMemcpyDtoHAsync[per_thread](to, from, count, stream)
         : kind == 3 ? d->cuMemcpyDtoDAsync[per_thread](to, from, count, stream)
                     : d->cuMemcpyAsync[per_thread](to, from, count, stream);
}

EXPORT int cudaMalloc(void** pointer, size_t size) {
  struct {
    void** pointer;
    size_t size;
  } parameters = {pointer, size};
  CALL("cudaMalloc", 20, &parameters, behave("cudaMalloc", "size=%zu", size), d->cuMemAlloc[0](pointer, size),
       allocate_on_host(pointer, size));
}
EXPORT int cudaFree(void* pointer) {
  CALL("cudaFree", 22, &pointer, behave("cudaFree", "%s", ""), d->cuMemFree[0](pointer), free_on_host(pointer));
}
EXPORT int cudaMallocHost(void** pointer, size_t size) {
  struct {
    void** pointer;
    size_t size;
  } parameters = {pointer, size};
  CALL("cudaMallocHost", 25, &parameters, behave("cudaMallocHost", "size=%zu", size),
       d->cuMemAllocHost[0](pointer, size), allocate_on_host(pointer, size));
}
EXPORT int cudaFreeHost(void* pointer) {
  CALL("cudaFreeHost", 26, &pointer, behave("cudaFreeHost", "%s", ""), d->cuMemFreeHost[0](pointer),
       free_on_host(pointer));
}
#define COPY(name, callback, per_thread)                                                \
  EXPORT int name(void* to, const void* from, size_t count, int kind) {                 \
    struct {                                                                            \
      void* to;                                                                         \
      const void* from;                                                                 \
      size_t count;                                                                     \
      int kind;                                                                         \
    } parameters = {to, from, count, kind};                                             \
    CALL(#name, callback, &parameters, behave(#name, "count=%zu kind=%d", count, kind), \
         copy(d, per_thread, to, from, count, kind), copy_on_host(to, from, count));    \
  }
COPY(cudaMemcpy, 31, 0)
COPY(cudaMemcpy_ptds, 215, 1)
#define COPY_ASYNC(name, callback, per_thread)                                                            \
  EXPORT int name(void* to, const void* from, size_t count, int kind, void* stream) {                     \
    struct {                                                                                              \
      void* to;                                                                                           \
      const void* from;                                                                                   \
      size_t count;                                                                                       \
      int kind;                                                                                           \
      void* stream;                                                                                       \
    } parameters = {to, from, count, kind, stream};                                                       \
    CALL(#name, callback, &parameters, behave(#name, "count=%zu kind=%d stream=%p", count, kind, stream), \
         copy_async(d, per_thread, to, from, count, kind, stream), copy_on_host(to, from, count));        \
  }
COPY_ASYNC(cudaMemcpyAsync, 41, 0)
COPY_ASYNC(cudaMemcpyAsync_ptsz, 225, 1)

static int set_on_host(void* to, int value, size_t count) {
  memset(to, value, count);
  return 0;
}
EXPORT int cudaMemset(void* to, int value, size_t count) {
  struct {
    void* to;
    int value;
    size_t count;
  } parameters = {to, value, count};
  CALL("cudaMemset", 49, &parameters, behave("cudaMemset", "count=%zu", count),
       d->cuMemsetD8[0](to, (unsigned char)value, count), set_on_host(to, value, count));
}
#define SET_ASYNC(name, callback, per_thread)                                                                     \
  EXPORT int name(void* to, int value, size_t count, void* stream) {                                              \
    struct {                                                                                                      \
      void* to;                                                                                                   \
      int value;                                                                                                  \
      size_t count;                                                                                               \
      void* stream;                                                                                               \
    } parameters = {to, value, count, stream};                                                                    \
    CALL(#name, callback, &parameters, behave(#name, "count=%zu stream=%p", count, stream),                       \
         d->cuMemsetD8Async[per_thread](to, (unsigned char)value, count, stream), set_on_host(to, value, count)); \
  }
SET_ASYNC(cudaMemsetAsync, 51, 0)
SET_ASYNC(cudaMemsetAsync_ptsz, 235, 1)

EXPORT int cudaStreamCreate(void** stream) {
  CALL("cudaStreamCreate", 129, &stream, behave("cudaStreamCreate", "%s", ""), d->cuStreamCreate[0](stream, 0),
       allocate_on_host(stream, 1));
}
EXPORT int cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  struct {
    void** stream;
    unsigned flags;
  } parameters = {stream, flags};
  CALL("cudaStreamCreateWithFlags", 198, &parameters, behave("cudaStreamCreateWithFlags", "flags=%u", flags),
       d->cuStreamCreate[0](stream, flags), allocate_on_host(stream, 1));
}
EXPORT int cudaStreamDestroy(void* stream) {
  CALL("cudaStreamDestroy", 201, &stream, behave("cudaStreamDestroy", "%s", ""), d->cuStreamDestroy[0](stream),
       free_on_host(stream));
}
#define OF_STREAM(name, callback, per_thread, function)                                                     \
  EXPORT int name(void* stream) {                                                                           \
    CALL(#name, callback, &stream, behave(#name, "stream=%p", stream), d->function[per_thread](stream), 0); \
  }
OF_STREAM(cudaStreamSynchronize, 131, 0, cuStreamSynchronize)
OF_STREAM(cudaStreamSynchronize_ptsz, 239, 1, cuStreamSynchronize)
OF_STREAM(cudaStreamQuery, 132, 0, cuStreamQuery)

#define WAIT_EVENT(name, callback, per_thread)                             \
  EXPORT int name(void* stream, void* event, unsigned flags) {             \
    struct {                                                               \
      void *stream, *event;                                                \
      unsigned flags;                                                      \
    } parameters = {stream, event, flags};                                 \
    CALL(#name, callback, &parameters, behave(#name, "stream=%p", stream), \
         d->cuStreamWaitEvent[per_thread](stream, event, flags), 0);       \
  }
WAIT_EVENT(cudaStreamWaitEvent, 147, 0)
WAIT_EVENT(cudaStreamWaitEvent_ptsz, 247, 1)

EXPORT int cudaEventCreate(void** event) {
  CALL("cudaEventCreate", 133, &event, behave("cudaEventCreate", "%s", ""), d->cuEventCreate[0](event, 0),
       allocate_on_host(event, 1));
}
EXPORT int cudaEventCreateWithFlags(void** event, unsigned flags) {
  struct {
    void** event;
    unsigned flags;
  } parameters = {event, flags};
  CALL("cudaEventCreateWithFlags", 134, &parameters, behave("cudaEventCreateWithFlags", "flags=%u", flags),
       d->cuEventCreate[0](event, flags), allocate_on_host(event, 1));
}
EXPORT int cudaEventDestroy(void* event) {
  CALL("cudaEventDestroy", 136, &event, behave("cudaEventDestroy", "%s", ""), d->cuEventDestroy[0](event),
       free_on_host(event));
}
#define RECORD(name, callback, per_thread)                                 \
  EXPORT int name(void* event, void* stream) {                             \
    struct {                                                               \
      void *event, *stream;                                                \
    } parameters = {event, stream};                                        \
    CALL(#name, callback, &parameters, behave(#name, "stream=%p", stream), \
         d->cuEventRecord[per_thread](event, stream), 0);                  \
  }
RECORD(cudaEventRecord, 135, 0)
RECORD(cudaEventRecord_ptsz, 242, 1)
EXPORT int cudaEventQuery(void* event) {
  CALL("cudaEventQuery", 138, &event, behave("cudaEventQuery", "%s", ""), d->cuEventQuery[0](event), 0);
}
EXPORT int cudaEventSynchronize(void* event) {
  CALL("cudaEventSynchronize", 137, &event, behave("cudaEventSynchronize", "%s", ""), d->cuEventSynchronize[0](event),
       0);
}
EXPORT int cudaEventElapsedTime(float* milliseconds, void* from, void* to) {
  struct {
    void *milliseconds, *from, *to;
  } parameters = {milliseconds, from, to};
  CALL("cudaEventElapsedTime", CUDA_MAJOR >= 13 ? 486 : 139, &parameters, behave("cudaEventElapsedTime", "%s", ""),
       d->cuEventElapsedTime[0](milliseconds, from, to), 0);
}

#define CAPTURE(begin, begin_callback, end, end_callback, asks, asks_callback, per_thread)                          \
  EXPORT int begin(void* stream, int mode) {                                                                        \
    struct {                                                                                                        \
      void* stream;                                                                                                 \
      int mode;                                                                                                     \
    } parameters = {stream, mode};                                                                                  \
    CALL(#begin, begin_callback, &parameters, behave(#begin, "mode=%d", mode),                                      \
         d->cuStreamBeginCapture[per_thread](stream, mode), kNoDriver);                                             \
  }                                                                                                                 \
  EXPORT int end(void* stream, void** graph) {                                                                      \
    struct {                                                                                                        \
      void *stream, *graph;                                                                                         \
    } parameters = {stream, graph};                                                                                 \
    CALL(#end, end_callback, &parameters, behave(#end, "%s", ""), d->cuStreamEndCapture[per_thread](stream, graph), \
         kNoDriver);                                                                                                \
  }                                                                                                                 \
  EXPORT int asks(void* stream, int* state) {                                                                       \
    struct {                                                                                                        \
      void *stream, *state;                                                                                         \
    } parameters = {stream, state};                                                                                 \
    CALL(#asks, asks_callback, &parameters, behave(#asks, "%s", ""),                                                \
         d->cuStreamIsCapturing[per_thread](stream, state), kNoDriver);                                             \
  }
CAPTURE(cudaStreamBeginCapture, 315, cudaStreamEndCapture, 319, cudaStreamIsCapturing, 317, 0)
CAPTURE(cudaStreamBeginCapture_ptsz, 316, cudaStreamEndCapture_ptsz, 320, cudaStreamIsCapturing_ptsz, 318, 1)
EXPORT int cudaThreadExchangeStreamCaptureMode(int* mode) {
  CALL("cudaThreadExchangeStreamCaptureMode", 327, &mode, behave("cudaThreadExchangeStreamCaptureMode", "%s", ""),
       d->cuThreadExchangeStreamCaptureMode[0](mode), kNoDriver);
}
EXPORT int cudaGraphClone(void** clone, void* original) {
  struct {
    void *clone, *original;
  } parameters = {clone, original};
  CALL("cudaGraphClone", 301, &parameters, behave("cudaGraphClone", "%s", ""), d->cuGraphClone[0](clone, original),
       kNoDriver);
}
EXPORT int cudaGraphInstantiate(void** executable, void* graph, unsigned long long flags) {
  struct {
    void *executable, *graph;
    unsigned long long flags;
  } parameters = {executable, graph, flags};
  CALL("cudaGraphInstantiate", 443, &parameters, behave("cudaGraphInstantiate", "%s", ""),
       d->cuGraphInstantiateWithFlags[0](executable, graph, flags), kNoDriver);
}
EXPORT int cudaGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long flags) {
  struct {
    void *executable, *graph;
    unsigned long long flags;
  } parameters = {executable, graph, flags};
  CALL("cudaGraphInstantiateWithFlags", 418, &parameters, behave("cudaGraphInstantiateWithFlags", "%s", ""),
       d->cuGraphInstantiateWithFlags[0](executable, graph, flags), kNoDriver);
}
EXPORT int cudaGraphDestroy(void* graph) {
  CALL("cudaGraphDestroy", 314, &graph, behave("cudaGraphDestroy", "%s", ""), d->cuGraphDestroy[0](graph), kNoDriver);
}
EXPORT int cudaGraphExecDestroy(void* executable) {
  CALL("cudaGraphExecDestroy", 313, &executable, behave("cudaGraphExecDestroy", "%s", ""),
       d->cuGraphExecDestroy[0](executable), kNoDriver);
}

EXPORT int cudaDeviceSynchronize(void) {
  CALL("cudaDeviceSynchronize", 165, NULL, behave("cudaDeviceSynchronize", "%s", ""), d->cuCtxSynchronize[0](), 0);
}
EXPORT int cudaDeviceReset(void) {
  CALL("cudaDeviceReset", 164, NULL, behave("cudaDeviceReset", "%s", ""), d->cuDevicePrimaryCtxReset[0](current_device),
       0);
}
static int count_devices(const runtime_driver* d, int* count) {
  const int status = d->cuInit[0](0);
  return status != 0 ? status : d->cuDeviceGetCount[0](count);
}
static int set_device(const runtime_driver* d, int device) {
  int count = 0;
  void* context = NULL;
  int status = count_devices(d, &count);
  if (status != 0) return status;
  if (device < 0 || device >= count) return kInvalidDevice;
  current_device = device;
  status = d->cuDevicePrimaryCtxRetain[0](&context, device);
  return status != 0 ? status : d->cuCtxSetCurrent[0](context);
}
EXPORT int cudaSetDevice(int device) {
  CALL_WITH(0, "cudaSetDevice", 16, &device, NULL, 0, set_device(d, device), device == 0 ? 0 : kInvalidDevice);
}
EXPORT int cudaGetDevice(int* device) {
  CALL_WITH(0, "cudaGetDevice", 17, &device, NULL, 0, (*device = current_device, 0), (*device = 0));
}
EXPORT int cudaGetDeviceCount(int* count) {
  CALL_WITH(0, "cudaGetDeviceCount", 3, &count, NULL, 0, count_devices(d, count), (*count = 1, 0));
}
EXPORT int cudaGetLastError(void) {
  const int error = last_error;
  last_error = 0;
  return error;
}
EXPORT int cudaPeekAtLastError(void) { return last_error; }
EXPORT const char* cudaGetErrorString(int error) {
  return error == 0 ? "no error" : "an error of the stand-in runtime";
}
EXPORT int cudaRuntimeGetVersion(int* version) {
  *version = CUDA_MAJOR * 1000;
  return 0;
}

/* What the compiler's stubs call. */
static __thread struct {
  dim3 grid, block;
  size_t shared;
  void* stream;
} pushed[16];
static __thread int pushes;

EXPORT void** __cudaRegisterFatBinary(void* image) {
  void** handle = malloc(sizeof *handle);
  *handle = image;
  return handle;
}
EXPORT void __cudaRegisterFatBinaryEnd(void** handle) { (void)handle; }
EXPORT void __cudaUnregisterFatBinary(void** handle) { free(handle); }
EXPORT void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int threads,
                                   void* tid, void* bid, void* block, void* grid, int* warps) {
  (void)handle, (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warps;
  add_kernel(host, name);
}
EXPORT void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int external, size_t size,
                              int constant, int global) {
  (void)handle, (void)host, (void)device, (void)name, (void)external, (void)size, (void)constant, (void)global;
}
EXPORT char __cudaInitModule(void** handle) {
  (void)handle;
  return 1;
}
EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
  if (pushes == 16) return 1;
  pushed[pushes].grid = grid;
  pushed[pushes].block = block;
  pushed[pushes].shared = shared;
  pushed[pushes++].stream = stream;
  return 0;
}
EXPORT int __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void** stream) {
  if (pushes == 0) return 1;
  --pushes;
  *grid = pushed[pushes].grid;
  *block = pushed[pushes].block;
  *shared = pushed[pushes].shared;
  *stream = pushed[pushes].stream;
  return 0;
}
#if CUDA_MAJOR >= 13
EXPORT int __cudaGetKernel(void** handle, const void* host) {
  *handle = find_kernel(host);
  return 0;
}
#endif
