// Replays a graph of NODES kernels REPLAYS times and waits only at the end: what is queued then is more than any buffer of a
// profiler holds. Prints what it launched as one line of JSON.
#include <cstdio>
#include <cstdlib>

#include "cuda_check.h"

__global__ void node_of_burst(float* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] += 1;
}

__global__ void before_burst(float* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] = 0;
}

namespace {

constexpr int kCount = 256, kBefore = 10;

cudaGraphExec_t graph_of(int nodes, float* values, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < nodes; ++i) node_of_burst<<<1, kCount, 0, stream>>>(values, kCount);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return executable;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    fprintf(stderr, "graph_burst NODES REPLAYS\n");
    return 91;
  }
  const int nodes = atoi(arguments[1]), replays = atoi(arguments[2]);
  float* values = nullptr;
  cudaStream_t stream;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&values), kCount * sizeof(float)));
  CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < kBefore; ++i) before_burst<<<1, kCount, 0, stream>>>(values, kCount);
  const cudaGraphExec_t graph = graph_of(nodes, values, stream);
  for (int i = 0; i < replays; ++i) CHECK(cudaGraphLaunch(graph, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(values));
  printf("{\"kernels\": {\"before_burst\": %d, \"node_of_burst\": %lld}, \"replays\": %d, \"nodes\": %d}\n", kBefore,
         static_cast<long long>(nodes) * replays, replays, nodes);
  return 0;
}
