/* Captures a graph of kernels and replays it without waiting, far ahead of the device: `replays_ahead KERNELS REPLAYS
 * [slow]`. slow: behind a kernel that takes long, slow_kernel. In the end it says how long it took to launch all, and
 * waits. */
#include <stdio.h>
#include <time.h>

#include "cuda_api.h"
#include "spans.h"

int cudaStreamCreate(void**);
int cudaStreamSynchronize(void*);
int cudaStreamBeginCapture(void*, int);
int cudaStreamEndCapture(void*, void**);
int cudaGraphInstantiate(void**, void*, unsigned long long);

void node_kernel(void) {}
void slow_kernel(void) {}

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const dim3 one = {1, 1, 1};
  void *stream, *graph, *executable;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, 2));
  for (int i = atoi(words[1]); i > 0; --i) CHECK(cudaLaunchKernel((const void*)node_kernel, one, one, NULL, 0, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  const double begin = now_s();
  if (count > 3) CHECK(cudaLaunchKernel((const void*)slow_kernel, one, one, NULL, 0, stream));
  for (int i = atoi(words[2]); i > 0; --i) CHECK(cudaGraphLaunch(executable, stream));
  fprintf(stderr, "launched in %.3f s\n", now_s() - begin);
  CHECK(cudaStreamSynchronize(stream));
  puts("done");
  return 0;
}
