/* Launches past the runtime, by the driver API: linked, and by cuGetProcAddress as Triton does. Each kernel has its
 * name. */
#include "spans.h"

typedef struct { /* CUlaunchConfig */
  unsigned grid[3], block[3], shared;
  void* stream;
  void* attributes;
  unsigned attribute_count;
} launch_config;

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
int cuCtxSynchronize(void);
int cuModuleLoadData(void**, const void*);
int cuModuleUnload(void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
int cuLaunchKernel_ptsz(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                        void**);
int cuLaunchCooperativeKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                              void**);
int cuLaunchKernelEx(const launch_config*, void*, void**, void**);
int cuGetProcAddress_v2(const char*, void**, int, unsigned long long, int*);
int cuMemAlloc_v2(void**, size_t);
int cuMemcpyHtoD_v2(void*, const void*, size_t);
int cuMemsetD32Async(void*, unsigned, size_t, void*);
int cuStreamCreate(void**, unsigned);

static void* module;

static void* function(const char* name) {
  void* found;
  CHECK(cuModuleGetFunction(&found, module, name));
  return found;
}

int main(void) {
  void *context, *stream, *memory;
  char bytes[4096] = {0};
  CHECK(cuInit(0));
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, "image"));
  CHECK(cuStreamCreate(&stream, 1));
  const marked model = begin_model("driver");
  marked layer = begin_layer("linked");
  CHECK(cuLaunchKernel(function("by_launch_20us"), 3, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
  CHECK(cuLaunchKernel_ptsz(function("by_launch_ptsz_30us"), 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
  CHECK(cuLaunchCooperativeKernel(function("by_cooperative_40us"), 1, 1, 1, 32, 1, 1, 0, stream, NULL));
  const launch_config config = {{5, 1, 1}, {64, 2, 1}, 128, stream, NULL, 0};
  CHECK(cuLaunchKernelEx(&config, function("by_ex_50us"), NULL, NULL));
  end_span(layer);
  layer = begin_layer("looked_up");
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  int (*launch_ex)(const launch_config*, void*, void**, void**);
  CHECK(cuGetProcAddress_v2("cuLaunchKernel", (void**)&launch, 12000, 0, NULL));
  CHECK(cuGetProcAddress_v2("cuLaunchKernelEx", (void**)&launch_ex, 12000, 2, NULL));
  CHECK(launch(function("looked_up_60us"), 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
  CHECK(launch_ex(&config, function("looked_up_ex_70us"), NULL, NULL));
  end_span(layer);
  layer = begin_layer("memory");
  CHECK(cuMemAlloc_v2(&memory, sizeof bytes));
  CHECK(cuMemcpyHtoD_v2(memory, bytes, sizeof bytes));
  CHECK(cuMemsetD32Async(memory, 7, sizeof bytes / 4, stream));
  end_span(layer);
  CHECK(cuCtxSynchronize());
  end_span(model);
  CHECK(cuModuleUnload(module));
  puts("done");
  return 0;
}
