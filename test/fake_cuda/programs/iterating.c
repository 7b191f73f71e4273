/* `iterating PLAN TRUTH`: does what the lines of PLAN say and writes what it did to TRUTH, a line of JSON each.
 *
 *   streams N               makes streams 0 to N - 1; first of all
 *   step N                  a step begins, and ends where the next one or the plan does
 *   end                     the step ends
 *   kernel S X Y Z NS NAME  launches it in stream S, with this grid; it takes NS
 *   to_device S BYTES       copies, likewise to_host and on_device
 *   memset S BYTES
 *   pause S NS              the stream does nothing for so long (fake_cuda_pause)
 *   order S T               T goes on when S has done what it was given so far
 *   capture S G, captured S what stream S is given between them becomes graph G
 *   launch S G              launches the graph
 *   sync S                  waits for the stream
 *   sleep NS                the host does nothing
 *   kill                    the program kills itself
 *
 * TRUTH has {"pid", "step", "begin", "end"} of every step by CLOCK_MONOTONIC, and {"pid", "stream", "kind", "name",
 * "grid", "bytes", "step"} of everything that a stream was given, in order. Outside of steps "step" is -1. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(call)                                               \
  do {                                                            \
    const int checked = (call);                                   \
    if (checked != 0) {                                           \
      fprintf(stderr, "line %d: %s: %d\n", line, #call, checked); \
      exit(3);                                                    \
    }                                                             \
  } while (0)

enum { kMostStreams = 8, kMostGraphs = 8, kMostNodes = 4096, kName = 200 };

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void**, int);
int cuCtxSetCurrent(void*);
int cuCtxSynchronize(void);
int cuModuleLoadData(void**, const void*);
int cuModuleGetFunction(void**, void*, const char*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
int cuMemAlloc_v2(void**, size_t);
int cuMemAllocHost_v2(void**, size_t);
int cuMemcpyHtoDAsync_v2(void*, const void*, size_t, void*);
int cuMemcpyDtoHAsync_v2(void*, const void*, size_t, void*);
int cuMemcpyDtoDAsync_v2(void*, const void*, size_t, void*);
int cuMemsetD8Async(void*, unsigned char, size_t, void*);
int cuStreamCreate(void**, unsigned);
int cuStreamSynchronize(void*);
int cuStreamWaitEvent(void*, void*, unsigned);
int cuEventCreate(void**, unsigned);
int cuEventRecord(void*, void*);
int cuStreamBeginCapture_v2(void*, int);
int cuStreamEndCapture(void*, void**);
int cuGraphInstantiateWithFlags(void**, void*, unsigned long long);
int cuGraphLaunch(void*, void*);
int fake_cuda_pause(void*, uint64_t);
void fake_cuda_take(uint64_t);

typedef struct {
  char kind[16], name[kName];
  unsigned grid[3];
  uint64_t ns;
  size_t bytes;
} work;

typedef struct {
  void* executable;
  work* nodes;
  int count;
} graph;

static int line;
static FILE* truth;
static void* module;
static void* streams[kMostStreams];
static graph graphs[kMostGraphs];
static graph* capturing;
static char *device, *other_device, *host; /* of the largest copy */
static int step = -1;
static uint64_t step_begin;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void end_step(void) {
  if (step >= 0)
    fprintf(truth, "{\"pid\": %d, \"step\": %d, \"begin\": %llu, \"end\": %llu}\n", getpid(), step,
            (unsigned long long)step_begin, (unsigned long long)now());
  fflush(truth);
  step = -1;
}

static void given(int stream, const work* w) {
  if (capturing != NULL) {
    if (capturing->count == kMostNodes) exit(4);
    capturing->nodes[capturing->count++] = *w;
    return;
  }
  fprintf(truth,
          "{\"pid\": %d, \"stream\": %d, \"kind\": \"%s\", \"name\": \"%s\", \"grid\": [%u, %u, %u], \"bytes\": %zu, "
          "\"step\": %d}\n",
          getpid(), stream, w->kind, w->name, w->grid[0], w->grid[1], w->grid[2], w->bytes, step);
}

static void launch_kernel(int stream, const work* w) {
  void* function;
  CHECK(cuModuleGetFunction(&function, module, w->name));
  fake_cuda_take(w->ns);
  CHECK(cuLaunchKernel(function, w->grid[0], w->grid[1], w->grid[2], 128, 1, 1, 0, streams[stream], NULL, NULL));
}

static void move(int stream, work* w) {
  if (strcmp(w->kind, "memset") == 0) {
    strcpy(w->name, "memset");
    CHECK(cuMemsetD8Async(device, 0, w->bytes, streams[stream]));
    return;
  }
  if (strcmp(w->kind, "to_device") == 0) {
    strcpy(w->name, "HtoD");
    CHECK(cuMemcpyHtoDAsync_v2(device, host, w->bytes, streams[stream]));
  } else if (strcmp(w->kind, "to_host") == 0) {
    strcpy(w->name, "DtoH");
    CHECK(cuMemcpyDtoHAsync_v2(host, device, w->bytes, streams[stream]));
  } else {
    strcpy(w->name, "DtoD");
    CHECK(cuMemcpyDtoDAsync_v2(other_device, device, w->bytes, streams[stream]));
  }
  strcpy(w->kind, "memcpy");
}

static void end_capture(int stream) {
  void* captured;
  CHECK(cuStreamEndCapture(streams[stream], &captured));
  CHECK(cuGraphInstantiateWithFlags(&capturing->executable, captured, 0));
  capturing = NULL;
}

static void order(int first, int second) {
  void* event;
  CHECK(cuEventCreate(&event, 2));
  CHECK(cuEventRecord(event, streams[first]));
  CHECK(cuStreamWaitEvent(streams[second], event, 0));
}

static void sleep_for(uint64_t ns) {
  struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
  while (nanosleep(&time, &time) != 0) {
  }
}

static void obey(const char* text) {
  char word[16] = "";
  unsigned long long a = 0, b = 0;
  work w = {0};
  sscanf(text, "%15s %llu %llu", word, &a, &b);
  if (strcmp(word, "streams") == 0) {
    for (unsigned i = 0; i < a && i < kMostStreams; ++i) CHECK(cuStreamCreate(&streams[i], 1));
  } else if (strcmp(word, "step") == 0) {
    end_step();
    step = (int)a;
    step_begin = now();
  } else if (strcmp(word, "end") == 0) {
    end_step();
  } else if (strcmp(word, "kernel") == 0) {
    if (sscanf(text, "%15s %llu %u %u %u %llu %199[^\n]", w.kind, &a, &w.grid[0], &w.grid[1], &w.grid[2], &b, w.name) !=
        7)
      exit(2);
    w.ns = b;
    launch_kernel((int)a, &w);
    given((int)a, &w);
  } else if (strncmp(word, "to_", 3) == 0 || strcmp(word, "on_device") == 0 || strcmp(word, "memset") == 0) {
    strcpy(w.kind, word);
    w.bytes = b;
    move((int)a, &w);
    given((int)a, &w);
  } else if (strcmp(word, "pause") == 0) {
    CHECK(fake_cuda_pause(streams[a], b));
  } else if (strcmp(word, "order") == 0) {
    order((int)a, (int)b);
  } else if (strcmp(word, "capture") == 0) {
    CHECK(cuStreamBeginCapture_v2(streams[a], 2));
    capturing = &graphs[b];
    capturing->nodes = calloc(kMostNodes, sizeof(work));
  } else if (strcmp(word, "captured") == 0) {
    end_capture((int)a);
  } else if (strcmp(word, "launch") == 0) {
    CHECK(cuGraphLaunch(graphs[b].executable, streams[a]));
    for (int i = 0; i < graphs[b].count; ++i) given((int)a, &graphs[b].nodes[i]);
  } else if (strcmp(word, "sync") == 0) {
    CHECK(cuStreamSynchronize(streams[a]));
  } else if (strcmp(word, "sleep") == 0) {
    sleep_for(a);
  } else if (strcmp(word, "kill") == 0) {
    fflush(truth);
    raise(SIGKILL);
  } else {
    fprintf(stderr, "line %d: %s\n", line, text);
    exit(2);
  }
}

/* Largest number behind a copy or memset. */
static size_t most_bytes(FILE* plan) {
  char text[512], word[16];
  unsigned long long stream, bytes, most = 4096;
  while (fgets(text, sizeof text, plan) != NULL)
    if (sscanf(text, "%15s %llu %llu", word, &stream, &bytes) == 3 && bytes > most && strcmp(word, "pause") != 0 &&
        strcmp(word, "kernel") != 0)
      most = bytes;
  rewind(plan);
  return most;
}

int main(int count, char** words) {
  FILE* const plan = count == 3 ? fopen(words[1], "r") : NULL;
  truth = plan == NULL ? NULL : fopen(words[2], "a");
  if (truth == NULL) return 2;
  const size_t bytes = most_bytes(plan);
  void* context;
  CHECK(cuInit(0));
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, "image"));
  CHECK(cuMemAlloc_v2((void**)&device, bytes));
  CHECK(cuMemAlloc_v2((void**)&other_device, bytes));
  CHECK(cuMemAllocHost_v2((void**)&host, bytes));
  char text[512];
  while (fgets(text, sizeof text, plan) != NULL) {
    ++line;
    if (text[0] != '\n') obey(text);
  }
  CHECK(cuCtxSynchronize());
  end_step();
  fclose(truth);
  return 0;
}
