/* A program that does what chance says, for the tests that hold a trace against the driver's own log: `interleaves SEED
 * OPERATIONS [WORD...]`. Two or three threads launch kernels by four functions, inside layers and library calls, copy
 * and set memory, capture graphs, replay and destroy them, wait for a stream or the device, sleep and flush CUPTI.
 * Words:
 *   profiles     the first thread also profiles some kernels itself, as Kineto does; the others only launch
 *   clock        and registers a clock for that, the TSC
 *   reset        resets the device in the end, without waiting for it; else the end waits for all
 *   _exit        how it ends
 *   kill         in the middle of its operations it kills itself */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cuda_api.h"
#include "spans.h"

int cudaStreamCreate(void**);
int cudaStreamSynchronize(void*);
int cudaStreamBeginCapture(void*, int);
int cudaStreamEndCapture(void*, void**);
int cudaGraphInstantiate(void**, void*, unsigned long long);
int cudaGraphDestroy(void*);
int cudaGraphExecDestroy(void*);
int cudaMemsetAsync(void*, int, size_t, void*);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cuptiActivityRegisterCallbacks(void (*)(uint8_t**, size_t*, size_t*),
                                   void (*)(void*, uint32_t, uint8_t*, size_t, size_t));
int cuptiActivityRegisterTimestampCallback(uint64_t (*)(void));
int cuptiActivityEnable(int);
int cuptiActivityDisable(int);
int cuptiActivityFlushAll(uint32_t);

/* Their addresses name the kernels; FAKE_CUDA_KERNELS says how long each runs. */
void short_kernel(void) {}
void usual_kernel(void) {}
void long_kernel(void) {}
void own_profile_kernel(void) {}

enum { kMostGraphs = 4, kMostThreads = 3, kBytes = 4096 };

typedef struct {
  uint64_t random;
  int operations;
  int number;
  void* streams[2];
  void* blas;
  void* graphs[kMostGraphs];
  char* device;
} worker;

static int profiles, kills, has_clock;

/* xorshift64*: the same sequence everywhere. */
static unsigned below(worker* w, unsigned end) {
  w->random ^= w->random >> 12;
  w->random ^= w->random << 25;
  w->random ^= w->random >> 27;
  return (unsigned)((w->random * 2685821657736338717ull) >> 33) % end;
}

static void launch(worker* w, void* stream) {
  static const void* const kernels[] = {(const void*)short_kernel, (const void*)usual_kernel, (const void*)long_kernel};
  const void* kernel = kernels[below(w, 8) % 3];
  const dim3 grid = {1 + below(w, 100), 1, 1}, block = {32, 1, 1};
  const launch_config config = {grid, block, 0, stream, NULL, 0};
  switch (below(w, 5)) {
    case 0:
      CHECK(cudaLaunchKernelExC(&config, kernel, NULL));
      break;
    case 1:
      CHECK(__cudaLaunchKernel(kernel, grid, block, NULL, 0, stream));
      break;
    case 2:
      CHECK(cublasSetStream_v2(w->blas, stream));
      CHECK(below(w, 2) == 0 ? multiply(w->blas, 8, 8, 8) : multiply_half(w->blas, 8, 8, 4096));
      break;
    default:
      CHECK(cudaLaunchKernel(kernel, grid, block, NULL, 0, stream));
  }
}

/* One to four launches, each inside up to two layers. */
static void launch_some(worker* w, void* stream) {
  static const char* const names[] = {"conv", "norm", "attention", "mlp", "head"};
  for (unsigned n = 1 + below(w, 4); n > 0; --n) {
    const unsigned depth = below(w, 3);
    marked layers[2];
    for (unsigned i = 0; i < depth; ++i) layers[i] = begin_layer(names[below(w, 5)]);
    launch(w, stream);
    for (unsigned i = depth; i > 0; --i) end_span(layers[i - 1]);
  }
}

static void capture(worker* w, void* stream, void** executable) {
  void* graph;
  if (*executable != NULL) {
    CHECK(cudaStreamSynchronize(w->streams[0]));
    CHECK(cudaStreamSynchronize(w->streams[1]));
    CHECK(cudaGraphExecDestroy(*executable));
  }
  CHECK(cudaStreamBeginCapture(stream, 2));
  launch_some(w, stream);
  if (below(w, 2) == 0) CHECK(cudaMemsetAsync(w->device, 0, kBytes, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(executable, graph, 0));
  if (below(w, 2) == 0) CHECK(cudaGraphDestroy(graph));
}

static void copy(worker* w, void* stream) {
  static char host[kMostThreads][kBytes];
  const size_t bytes = 64 * (1 + below(w, kBytes / 64));
  switch (below(w, 3)) {
    case 0:
      CHECK(cudaMemcpyAsync(w->device, host[w->number], bytes, 1, stream));
      break;
    case 1:
      CHECK(cudaMemsetAsync(w->device, 0, bytes, stream));
      break;
    default:
      CHECK(cudaMemcpy(host[w->number], w->device, bytes, 2));
  }
}

static void buffer_requested(uint8_t** buffer, size_t* size, size_t* records) {
  *size = 1 << 16;
  *records = 0;
  *buffer = aligned_alloc(8, *size);
}

static void buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid) {
  (void)context, (void)stream, (void)size, (void)valid;
  free(buffer);
}

static uint64_t ticks(void) { return __builtin_ia32_rdtsc(); }

static void profile_some(worker* w) {
  const dim3 one = {1, 1, 1};
  if (has_clock) CHECK(cuptiActivityRegisterTimestampCallback(ticks));
  CHECK(cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed));
  CHECK(cuptiActivityEnable(10));
  for (int i = 0; i < 5; ++i)
    CHECK(cudaLaunchKernel((const void*)own_profile_kernel, one, one, NULL, 0, w->streams[0]));
  CHECK(cudaDeviceSynchronize());
  CHECK(cuptiActivityDisable(10));
  CHECK(cuptiActivityFlushAll(1));
  /* Long enough for the other one to come back, or not. */
  const struct timespec time = {0, 1000000 * below(w, 300)};
  nanosleep(&time, NULL);
}

static void rest(worker* w) {
  const struct timespec time = {0, 1000 * below(w, 2000)};
  nanosleep(&time, NULL);
}

static void operate(worker* w) {
  void* stream = w->streams[below(w, 2)];
  void** graph = &w->graphs[below(w, kMostGraphs)];
  switch (below(w, 16)) {
    case 0:
      capture(w, stream, graph);
      break;
    case 1:
    case 2:
    case 3:
      if (*graph != NULL) CHECK(cudaGraphLaunch(*graph, stream));
      break;
    case 4:
    case 5:
      copy(w, stream);
      break;
    case 6:
      CHECK(cudaStreamSynchronize(stream));
      break;
    case 7:
      if (below(w, 8) == 0) CHECK(cudaDeviceSynchronize());
      break;
    case 8:
      rest(w);
      break;
    case 9:
      if (!profiles && below(w, 4) == 0) CHECK(cuptiActivityFlushAll(0));
      if (profiles && w->number == 0 && below(w, 8) == 0) profile_some(w);
      break;
    default:
      launch_some(w, stream);
  }
}

static void* work(void* argument) {
  worker* w = argument;
  for (int i = 0; i < 2; ++i) CHECK(cudaStreamCreate(&w->streams[i]));
  CHECK(cublasCreate_v2(&w->blas));
  CHECK(cudaMalloc((void**)&w->device, kBytes));
  const int last = kills && w->number == 0 ? (int)below(w, (unsigned)w->operations) : -1;
  for (int i = 0; i < w->operations; ++i) {
    if (i == last) raise(SIGKILL);
    const int evaluates = below(w, 2) == 0;
    const marked model = evaluates ? begin_model("model") : (marked){0, ""};
    for (unsigned n = 1 + below(w, 4); n > 0; --n) operate(w);
    if (evaluates) end_span(model);
  }
  return NULL;
}

static int has(int count, char** words, const char* word) {
  for (int i = 3; i < count; ++i)
    if (strcmp(words[i], word) == 0) return 1;
  return 0;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  static worker workers[kMostThreads];
  pthread_t threads[kMostThreads];
  const unsigned long long seed = strtoull(words[1], NULL, 10);
  const int number = 2 + (int)(seed % 2);
  profiles = has(count, words, "profiles");
  has_clock = has(count, words, "clock");
  kills = has(count, words, "kill");
  for (int i = 0; i < number; ++i) {
    workers[i].random = (seed * kMostThreads + (unsigned)i + 1) * 0x9e3779b97f4a7c15ull;
    workers[i].operations = atoi(words[2]);
    workers[i].number = i;
    if (i != 0) pthread_create(&threads[i], NULL, work, &workers[i]);
  }
  work(&workers[0]);
  for (int i = 1; i < number; ++i) pthread_join(threads[i], NULL);
  if (has(count, words, "reset")) {
    CHECK(cudaDeviceReset());
  } else {
    CHECK(cudaDeviceSynchronize());
  }
  if (has(count, words, "_exit")) _exit(0);
  return 0;
}
