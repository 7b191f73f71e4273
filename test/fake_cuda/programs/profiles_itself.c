/* A program with a profiler of its own, in three parts: ten kernels before, twenty while it profiles, ten after. It
 * uses CUPTI as Kineto does, by the PLT, and prints how many kernels and how many calls it was told of. Words:
 *   early      subscribes before the first call of CUDA, and keeps the subscriber
 *   finalize   ends with cuptiFinalize
 *   twice      profiles, and profiles again
 *   graph      also launches a graph of two kernels, three times in each part
 *   clock      has records in ticks of the TSC, as Kineto does */
#include <string.h>
#include <time.h>

#include "cuda_api.h"
#include "spans.h"

int cuptiSubscribe(void**, void (*)(void*, int, uint32_t, const void*), void*);
int cuptiUnsubscribe(void*);
int cuptiEnableCallback(uint32_t, void*, int, uint32_t);
int cuptiActivityRegisterCallbacks(void (*)(uint8_t**, size_t*, size_t*),
                                   void (*)(void*, uint32_t, uint8_t*, size_t, size_t));
int cuptiActivityEnable(int);
int cuptiActivityDisable(int);
int cuptiActivityFlushAll(uint32_t);
int cuptiActivityGetNextRecord(uint8_t*, size_t, uint8_t**);
int cuptiActivityPushExternalCorrelationId(int, uint64_t);
int cuptiActivityPopExternalCorrelationId(int, uint64_t*);
int cuptiActivityRegisterTimestampCallback(uint64_t (*)(void));
int cuptiFinalize(void);
int cudaDeviceSynchronize(void);
int cudaStreamCreate(void**);
int cudaStreamBeginCapture(void*, int);
int cudaStreamEndCapture(void*, void**);
int cudaGraphInstantiate(void**, void*, unsigned long long);

void before_kernel(void) {}
void during_kernel(void) {}
void after_kernel(void) {}
void graph_kernel(void) {}

static int kernels, others, calls, external;
static int callbacks;

static void buffer_requested(uint8_t** buffer, size_t* size, size_t* records) {
  *size = 1 << 16;
  *records = 0;
  *buffer = aligned_alloc(8, *size);
}

static void buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid) {
  (void)context, (void)stream, (void)size;
  uint8_t* record = NULL;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
    uint32_t kind;
    memcpy(&kind, record, sizeof kind);
    if (kind == 10) {
      const char* name;
      memcpy(&name, record + 104, sizeof name);
      ++*(strcmp(name, "during_kernel") == 0 ? &kernels : &others);
    }
    calls += kind == 5;
    external += kind == 39;
  }
  free(buffer);
}

static void on_callback(void* user_data, int domain, uint32_t callback, const void* data) {
  (void)user_data, (void)domain, (void)callback, (void)data;
  __atomic_add_fetch(&callbacks, 1, __ATOMIC_RELAXED);
}

static void *stream, *graph;

static void make_graph(void) {
  const dim3 one = {1, 1, 1};
  void* captured;
  const marked making = begin_span("making", 1);
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, 2));
  for (int i = 0; i < 2; ++i) CHECK(cudaLaunchKernel((const void*)graph_kernel, one, one, NULL, 0, stream));
  CHECK(cudaStreamEndCapture(stream, &captured));
  CHECK(cudaGraphInstantiate(&graph, captured, 0));
  end_span(making);
}

static void launch(const char* part, const void* kernel, int count) {
  const dim3 one = {1, 1, 1};
  const marked model = begin_model(part);
  for (int i = 0; i < count; ++i) CHECK(cudaLaunchKernel(kernel, one, one, NULL, 0, NULL));
  for (int i = 0; graph != NULL && i < 3; ++i) CHECK(cudaGraphLaunch(graph, stream));
  CHECK(cudaDeviceSynchronize());
  end_span(model);
}

static uint64_t ticks(void) { return __builtin_ia32_rdtsc(); }

static void profile(void** subscriber, int finalize, int clock) {
  const int kinds[] = {39, 10, 1, 2, 5};
  if (*subscriber == NULL) CHECK(cuptiSubscribe(subscriber, on_callback, NULL));
  CHECK(cuptiEnableCallback(1, *subscriber, 2, 211));
  if (clock) CHECK(cuptiActivityRegisterTimestampCallback(ticks));
  CHECK(cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed));
  for (int i = 0; i < 5; ++i) CHECK(cuptiActivityEnable(kinds[i]));
  CHECK(cuptiActivityPushExternalCorrelationId(4, 1234));
  launch("during", (const void*)during_kernel, 20);
  CHECK(cuptiActivityPopExternalCorrelationId(4, NULL));
  for (int i = 0; i < 5; ++i) CHECK(cuptiActivityDisable(kinds[i]));
  CHECK(cuptiActivityFlushAll(1));
  CHECK(cuptiEnableCallback(0, *subscriber, 2, 211));
  if (finalize) {
    CHECK(cuptiFinalize());
    *subscriber = NULL;
  }
}

static int has(int count, char** words, const char* word) {
  for (int i = 1; i < count; ++i)
    if (strcmp(words[i], word) == 0) return 1;
  return 0;
}

int main(int count, char** words) {
  void* subscriber = NULL;
  const int early = has(count, words, "early");
  const int finalize = has(count, words, "finalize"), clock = has(count, words, "clock");
  if (early) CHECK(cuptiSubscribe(&subscriber, on_callback, NULL));
  if (has(count, words, "graph")) make_graph();
  launch("before", (const void*)before_kernel, 10);
  profile(&subscriber, finalize, clock);
  if (has(count, words, "twice")) profile(&subscriber, finalize, clock);
  if (!early && subscriber != NULL) CHECK(cuptiUnsubscribe(subscriber));
  for (int i = 0; i < 40; ++i) {
    /* The other one may need a moment to come back. */
    struct timespec moment = {0, 25000000};
    nanosleep(&moment, NULL);
  }
  launch("after", (const void*)after_kernel, 10);
  printf("kernels %d of others %d calls %d external %d callbacks %d\n", kernels, others, calls, external, callbacks);
  return 0;
}
