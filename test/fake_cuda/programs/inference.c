/* An inference loop: `inference N [WORD...]` runs N evaluations of a model of five layers, which call cuDNN and cuBLAS
 * and launch kernels of their own, with copies around them. Words: graph        the layers are captured once, before
 * the loop, and replayed clone        likewise, but what is replayed was instantiated from a clone of the captured
 * graph streams      odd layers run in a second stream, which waits for the first at the end devices      evaluations
 * alternate between two devices processes    a second process does the same (forked before the first call of CUDA)
 *   threads      a second thread does the same at the same time
 *   fork         forks after the loop; the child calls CUDA, which refuses, and ends
 *   reset        resets the device after the loop and runs it again
 *   unsynchronized   ends with work in flight
 *   _exit, quick_exit, abort, kill   how it ends; else main returns
 *   forever      goes on until it is killed, having written "running" after N evaluations */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda_api.h"
#include "spans.h"

int cudaStreamCreate(void**);
int cudaStreamDestroy(void*);
int cudaStreamSynchronize(void*);
int cudaStreamWaitEvent(void*, void*, unsigned);
int cudaStreamBeginCapture(void*, int);
int cudaStreamEndCapture(void*, void**);
int cudaGraphClone(void**, void*);
int cudaGraphInstantiate(void**, void*, unsigned long long);
int cudaGraphDestroy(void*);
int cudaGraphExecDestroy(void*);
int cudaEventCreate(void**);
int cudaEventRecord(void*, void*);
int cudaEventDestroy(void*);
int cudaMallocHost(void**, size_t);
int cudaMemsetAsync(void*, int, size_t, void*);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaSetDevice(int);

int cudnnCreate(void**);
int cudnnDestroy(void*);
int cudnnSetStream(void*, void*);
int cudnnCreateTensorDescriptor(void**);
int cudnnSetTensor4dDescriptor(void*, int, int, int, int, int, int);
int cudnnCreateFilterDescriptor(void**);
int cudnnSetFilter4dDescriptor(void*, int, int, int, int, int, int);
int cudnnCreateConvolutionDescriptor(void**);
int cudnnSetConvolution2dDescriptor(void*, int, int, int, int, int, int, int, int);
int cudnnConvolutionForward(void*, const void*, void*, const void*, void*, const void*, void*, int, void*, size_t,
                            const void*, void*, void*);

/* Their addresses name the kernels. */
void bias_relu(void) {}
void softmax(void) {}

enum { kInput = 602112, kOutput = 4000 };

static int has(int count, char** words, const char* word) {
  for (int i = 2; i < count; ++i)
    if (strcmp(words[i], word) == 0) return 1;
  return 0;
}

typedef struct {
  void *main, *side; /* streams; the same one without a second */
  void *fork, *join; /* events */
  void *blas, *dnn;
  void *x_desc, *w_desc, *conv_desc;
  char *input, *output; /* pinned */
  char* device;
  void* graph;
  int overlap;
} network;

static const dim3 kGrid = {80, 1, 1};
static const dim3 kBlock = {256, 1, 1};

static void use_stream(network* n, void* stream) {
  CHECK(cublasSetStream_v2(n->blas, stream));
  CHECK(cudnnSetStream(n->dnn, stream));
}

static void layers(network* n) {
  const float one = 1, zero = 0;
  marked layer = begin_layer("conv1");
  use_stream(n, n->main);
  CHECK(cudnnConvolutionForward(n->dnn, &one, n->x_desc, n->device, n->w_desc, n->device, n->conv_desc, 1, NULL, 0,
                                &zero, n->x_desc, n->device));
  CHECK(cudaLaunchKernel((const void*)bias_relu, kGrid, kBlock, NULL, 0, n->main));
  end_span(layer);
  if (n->side != n->main) {
    CHECK(cudaEventRecord(n->fork, n->main));
    CHECK(cudaStreamWaitEvent(n->side, n->fork, 0));
  }
  layer = begin_layer("fc1");
  use_stream(n, n->side);
  CHECK(multiply(n->blas, 1024, 8, 512));
  end_span(layer);
  layer = begin_layer("fc2");
  use_stream(n, n->main);
  CHECK(multiply_half(n->blas, 512, 8, 4096)); /* cublasLt inside, and two kernels */
  end_span(layer);
  layer = begin_layer("relu2");
  CHECK(cudaLaunchKernel((const void*)bias_relu, kGrid, kBlock, NULL, 0, n->side));
  end_span(layer);
  if (n->side != n->main) {
    CHECK(cudaEventRecord(n->join, n->side));
    CHECK(cudaStreamWaitEvent(n->main, n->join, 0));
  }
  layer = begin_layer("softmax");
  CHECK(cudaMemsetAsync(n->device, 0, kOutput, n->main));
  if (n->overlap) {
    CHECK(cudaEventRecord(n->fork, n->main));
    CHECK(cudaStreamWaitEvent(n->side, n->fork, 0));
    CHECK(cudaLaunchKernel((const void*)softmax, kGrid, kBlock, NULL, 0, n->side));
    CHECK(cudaEventRecord(n->join, n->side));
  }
  const launch_config config = {kGrid, kBlock, 4096, n->main, NULL, 0};
  CHECK(cudaLaunchKernelExC(&config, (const void*)softmax, NULL));
  if (n->overlap) CHECK(cudaStreamWaitEvent(n->main, n->join, 0));
  end_span(layer);
}

static void evaluate(network* n, int synchronize) {
  const marked model = begin_model("network");
  CHECK(cudaMemcpyAsync(n->device, n->input, kInput, 1, n->main));
  if (n->graph != NULL)
    CHECK(cudaGraphLaunch(n->graph, n->main));
  else
    layers(n);
  CHECK(cudaMemcpyAsync(n->output, n->device, kOutput, 2, n->main));
  if (synchronize) CHECK(cudaStreamSynchronize(n->main));
  end_span(model);
}

static void capture(network* n, int clone) {
  void *graph, *copy;
  const marked model = begin_span("capture", 1);
  CHECK(cudaStreamBeginCapture(n->main, 2)); /* cudaStreamCaptureModeRelaxed */
  layers(n);
  CHECK(cudaStreamEndCapture(n->main, &graph));
  if (clone) {
    CHECK(cudaGraphClone(&copy, graph));
    CHECK(cudaGraphDestroy(graph));
    graph = copy;
  }
  CHECK(cudaGraphInstantiate(&n->graph, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  end_span(model);
}

static void make(network* n, int two_streams) {
  memset(n, 0, sizeof *n);
  CHECK(cudaStreamCreate(&n->main));
  n->side = n->main;
  if (two_streams) CHECK(cudaStreamCreate(&n->side));
  CHECK(cudaEventCreate(&n->fork));
  CHECK(cudaEventCreate(&n->join));
  CHECK(cublasCreate_v2(&n->blas));
  CHECK(cudnnCreate(&n->dnn));
  CHECK(cudnnCreateTensorDescriptor(&n->x_desc));
  CHECK(cudnnSetTensor4dDescriptor(n->x_desc, 0, 0, 8, 3, 224, 224));
  CHECK(cudnnCreateFilterDescriptor(&n->w_desc));
  CHECK(cudnnSetFilter4dDescriptor(n->w_desc, 0, 0, 64, 3, 7, 7));
  CHECK(cudnnCreateConvolutionDescriptor(&n->conv_desc));
  CHECK(cudnnSetConvolution2dDescriptor(n->conv_desc, 3, 3, 2, 2, 1, 1, 1, 0));
  CHECK(cudaMalloc((void**)&n->device, kInput));
  CHECK(cudaMallocHost((void**)&n->input, kInput));
  CHECK(cudaMallocHost((void**)&n->output, kOutput));
}

static int arguments;
static char** words;

static void infer(int evaluations) {
  network networks[2];
  const int devices = has(arguments, words, "devices") ? 2 : 1;
  const int last_waits = !has(arguments, words, "unsynchronized");
  for (int device = 0; device < devices; ++device) {
    if (devices > 1) CHECK(cudaSetDevice(device));
    make(&networks[device], has(arguments, words, "streams"));
    networks[device].overlap = has(arguments, words, "overlap");
    if (has(arguments, words, "graph")) capture(&networks[device], 0);
    if (has(arguments, words, "clone")) capture(&networks[device], 1);
  }
  const int forever = has(arguments, words, "forever");
  for (int i = 0; i < evaluations || forever; ++i) {
    if (i == evaluations) {
      puts("running");
      fflush(stdout);
    }
    if (devices > 1) CHECK(cudaSetDevice(i % devices));
    evaluate(&networks[i % devices], last_waits || i + 1 < evaluations);
  }
}

static void* infer_in_thread(void* evaluations) {
  infer(*(int*)evaluations);
  return NULL;
}

int main(int count, char** given) {
  arguments = count;
  words = given;
  int evaluations = count > 1 ? atoi(given[1]) : 1;
  pid_t child = -1;
  if (has(count, given, "processes")) child = fork();
  pthread_t other;
  if (has(count, given, "threads")) pthread_create(&other, NULL, infer_in_thread, &evaluations);
  infer(evaluations);
  if (has(count, given, "threads")) pthread_join(other, NULL);
  if (has(count, given, "reset")) {
    CHECK(cudaDeviceReset());
    infer(evaluations);
  }
  if (has(count, given, "fork")) {
    const pid_t forked = fork();
    if (forked == 0) {
      const int refused = cudaDeviceSynchronize();
      printf("in the child: %d\n", refused);
      fflush(stdout);
      _exit(refused == 3 ? 0 : 1);
    }
    int status = 0;
    waitpid(forked, &status, 0);
    printf("the child ended with %d\n", WEXITSTATUS(status));
  }
  if (child > 0) waitpid(child, NULL, 0);
  puts("done");
  fflush(stdout);
  if (has(count, given, "_exit")) _exit(7);
  if (has(count, given, "quick_exit")) quick_exit(7);
  if (has(count, given, "abort")) abort();
  if (has(count, given, "kill")) raise(SIGKILL);
  return 0;
}
