// A program whose kernels, copies and memsets are known exactly; it prints them as one line of JSON. With an argument it ends
// in one of the ways of check_endings.py instead.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "cuda_check.h"

__global__ void add_one(float* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] += 1;
}

__global__ void scale_by_two(float* values, int count) {
  const int i = static_cast<int>((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x);
  if (i < count) values[i] *= 2;
}

__global__ void fill_with_one(float* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] = 1;
}

namespace {

constexpr int kCount = 80 * 256;
constexpr size_t kBytes = kCount * sizeof(float);
constexpr int kAddLaunches = 100, kScaleLaunches = 20, kFillLaunches = 50, kGraphLaunches = 5;
constexpr int kToDevice = 10, kToHost = 5, kOnDevice = 3, kMemsets = 4;
constexpr size_t kMiB = 1 << 20, kGraphMemset = 64 << 10;

float* device_memory(size_t bytes = kBytes) {
  float* values = nullptr;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&values), bytes));
  return values;
}

void add_ones(int launches, float* values, cudaStream_t stream = nullptr) {
  for (int i = 0; i < launches; ++i) add_one<<<80, 256, 0, stream>>>(values, kCount);
  CHECK(cudaGetLastError());
}

void launch_on_two_streams(float* values) {
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
  for (cudaStream_t stream : streams) {
    for (int i = 0; i < kScaleLaunches; ++i) scale_by_two<<<dim3(16, 5), 256, 0, stream>>>(values, kCount);
  }
  for (cudaStream_t stream : streams) CHECK(cudaStreamSynchronize(stream));
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
}

// Pinned memory: of pageable memory the driver makes copies of its own.
void copy_and_set() {
  void* host = nullptr;
  CHECK(cudaMallocHost(&host, kMiB));
  memset(host, 0, kMiB);
  char* device = reinterpret_cast<char*>(device_memory(4 * kMiB));
  for (int i = 0; i < kToDevice; ++i) CHECK(cudaMemcpyAsync(device, host, kMiB, cudaMemcpyHostToDevice));
  for (int i = 0; i < kToHost; ++i) CHECK(cudaMemcpyAsync(host, device, kMiB / 2, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kOnDevice; ++i) {
    CHECK(cudaMemcpyAsync(device + 2 * kMiB, device, kMiB / 4, cudaMemcpyDeviceToDevice));
  }
  for (int i = 0; i < kMemsets; ++i) CHECK(cudaMemsetAsync(device, 0, kMiB));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(host));
}

// Three kernels and a memset.
void launch_graph(float* values) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  add_ones(1, values, stream);
  scale_by_two<<<dim3(16, 5), 256, 0, stream>>>(values, kCount);
  add_ones(1, values, stream);
  CHECK(cudaMemsetAsync(values, 0, kGraphMemset, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  for (int i = 0; i < kGraphLaunches; ++i) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

void fill_on_own_stream() {
  float* values = device_memory();
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < kFillLaunches; ++i) fill_with_one<<<80, 256, 0, stream>>>(values, kCount);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(values));
}

void do_all() {
  float* values = device_memory();
  add_ones(kAddLaunches, values);
  CHECK(cudaDeviceSynchronize());
  launch_on_two_streams(values);
  copy_and_set();
  launch_graph(values);
  std::thread threads[2];
  for (std::thread& thread : threads) thread = std::thread(fill_on_own_stream);
  for (std::thread& thread : threads) thread.join();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(values));
}

void print_what_was_done() {
  const int adds = kAddLaunches + 2 * kGraphLaunches, scales = 2 * kScaleLaunches + kGraphLaunches;
  const int fills = 2 * kFillLaunches;
  printf("{\"kernels\": {\"add_one\": %d, \"scale_by_two\": %d, \"fill_with_one\": %d}, ", adds, scales, fills);
  printf("\"grids\": {\"add_one [80,1,1] [256,1,1]\": %d, \"scale_by_two [16,5,1] [256,1,1]\": %d, "
         "\"fill_with_one [80,1,1] [256,1,1]\": %d}, ",
         adds, scales, fills);
  printf("\"graph_kernels\": %d, \"kernels_of_a_graph_launch\": [", 3 * kGraphLaunches);
  for (int i = 0; i < kGraphLaunches; ++i) printf("%s3", i == 0 ? "" : ", ");
  printf("], \"streams\": 2, \"threads\": 2, \"copies\": {\"HtoD\": [%d, %zu], \"DtoH\": [%d, %zu], \"DtoD\": [%d, %zu]}, ",
         kToDevice, kToDevice * kMiB, kToHost, kToHost * kMiB / 2, kOnDevice, kOnDevice * kMiB / 4);
  printf("\"memsets\": [%d, %zu]}\n", kMemsets + kGraphLaunches, kMemsets * kMiB + kGraphLaunches * kGraphMemset);
}

long long now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// A kernel a millisecond, and every 20 a line about what has finished.
void launch_for(float* values, long long duration_ns) {
  printf("{\"pid\": %d}\n", static_cast<int>(getpid()));
  fflush(stdout);
  const long long begin = now_ns();
  for (long long finished = 0; now_ns() - begin < duration_ns;) {
    add_ones(1, values);
    CHECK(cudaDeviceSynchronize());
    usleep(1000);
    if (++finished % 20 != 0) continue;
    printf("{\"finished\": %lld, \"ns\": %lld}\n", finished, now_ns());
    fflush(stdout);
  }
}

void fork_in_the_middle(float* values, bool executes) {
  add_ones(10, values);
  CHECK(cudaDeviceSynchronize());
  const pid_t child = fork();
  if (child == 0) {
    if (executes) execlp("true", "true", static_cast<char*>(nullptr));
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  add_ones(10, values);
  CHECK(cudaDeviceSynchronize());
}

void reset_in_the_middle(float* values) {
  add_ones(10, values);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaDeviceReset());
  float* others = device_memory();
  add_ones(10, others);
  CHECK(cudaDeviceSynchronize());
}

int end_by(const char* way) {
  float* values = device_memory();
  const long long second = 1'000'000'000LL;
  if (strcmp(way, "forever") == 0) launch_for(values, 100 * second);  // until it is killed
  if (strcmp(way, "for_three_seconds") == 0) {
    launch_for(values, 3 * second);
    return 0;
  }
  if (strcmp(way, "fork") == 0 || strcmp(way, "fork_and_exec") == 0) {
    fork_in_the_middle(values, strcmp(way, "fork") != 0);
    return 0;
  }
  if (strcmp(way, "reset") == 0) {
    reset_in_the_middle(values);
    return 0;
  }
  add_ones(100, values);
  CHECK(cudaDeviceSynchronize());
  if (strcmp(way, "detached_thread") == 0) {
    std::thread([values] {
      for (;;) {  // nothing is checked: the device goes away under it
        add_one<<<80, 256>>>(values, kCount);
        usleep(500);
      }
    }).detach();
    usleep(20'000);
    return 0;
  }
  if (strcmp(way, "exit") == 0) exit(7);
  if (strcmp(way, "quick_exit") == 0) quick_exit(5);
  if (strcmp(way, "underscore_exit") == 0) _exit(3);
  if (strcmp(way, "abort") == 0) abort();
  fprintf(stderr, "no way to end is called %s\n", way);
  return 91;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) return end_by(arguments[1]);
  do_all();
  print_what_was_done();
  return 0;
}
