/* Kernels that wait for others among kernels that do not, launched one by one and by graphs: in each of N steps two
 * that compute around one of NCCL, one that waits for a flag, a graph that holds one of NCCL, and a graph that only
 * computes. Under a counting profiler those that wait would never end. */
#include <stdlib.h>

#include "spans.h"

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
int cuCtxSynchronize(void);
int cuModuleLoadData(void**, const void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
int cuStreamCreate(void**, unsigned);
int cuStreamBeginCapture_v2(void*, int);
int cuStreamEndCapture(void*, void**);
int cuGraphInstantiateWithFlags(void**, void*, unsigned long long);
int cuGraphLaunch(void*, void*);

static void *module, *stream;

static void launch(const char* name, unsigned blocks) {
  void* function;
  CHECK(cuModuleGetFunction(&function, module, name));
  CHECK(cuLaunchKernel(function, blocks, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
}

static void* captured(const char* first, const char* second) {
  void *graph, *executable;
  CHECK(cuStreamBeginCapture_v2(stream, 2));
  launch(first, 5);
  launch(second, 6);
  CHECK(cuStreamEndCapture(stream, &graph));
  CHECK(cuGraphInstantiateWithFlags(&executable, graph, 0));
  return executable;
}

int main(int count, char** words) {
  const int steps = count > 1 ? atoi(words[1]) : 3;
  void* context;
  CHECK(cuInit(0));
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, "image"));
  CHECK(cuStreamCreate(&stream, 1));
  void* waiting = captured("graph_gemm_20us", "ncclDevKernel_ReduceScatter_20us");
  void* computing = captured("graph_gemm_20us", "graph_gelu_20us");
  for (int i = 0; i < steps; ++i) {
    launch("gemm_20us", 2);
    launch("ncclDevKernel_AllReduce_20us", 1);
    launch("gelu_20us", 3);
    launch("my_flag_wait_20us", 1);
    CHECK(cuGraphLaunch(waiting, stream));
    CHECK(cuGraphLaunch(computing, stream));
  }
  CHECK(cuCtxSynchronize());
  puts("done");
  return 0;
}
