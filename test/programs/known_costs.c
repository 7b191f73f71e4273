/* A model whose every latency is known, and a tracer whose every cost is: known_costs EVALUATIONS. The program waits
 * for set times inside its spans. As a tracer would that xsp-run --level switches on, it also waits for a set time at
 * each span of a level that is recorded: outside that span and inside the spans around it. All is printed, so that a
 * test has the truth from here. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xsp.h>

/* In microseconds. An evaluation is far shorter than a slice of a busy machine's time, so that some are whole. */
enum { kModelAlone = 40, kLayerAlone = 50, kCallAlone = 30, kKernel = 20 };
enum { kLayerTracer = 60, kLibraryTracer = 25, kKernelTracer = 15 };
enum { kLayers = 3 }; /* layer i takes i + 1 times kLayerAlone and i calls, each with a kernel */

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void spend(int microseconds) {
  const int64_t end = now_ns() + microseconds * INT64_C(1000);
  while (now_ns() < end) {
  }
}

static int recorded_level(void) {
  static const char* const kLevels[] = {"model", "layer", "library", "kernel"};
  const char* level = getenv("XSP_LEVEL");
  for (int i = 0; level != NULL && i < 4; ++i) {
    if (strcmp(level, kLevels[i]) == 0) return XSP_MODEL + i + (i == 3);
  }
  return XSP_DEVICE;
}

static int deepest;
static xsp_name net, gemm, kernel_name, layer_names[kLayers];

static void traced(int level, int microseconds) {
  if (level <= deepest) spend(microseconds);
}

static void call_library(void) {
  traced(XSP_LIBRARY, kLibraryTracer);
  const xsp_span call = xsp_start_span(gemm, XSP_LIBRARY);
  spend(kCallAlone);
  traced(XSP_DEVICE, kKernelTracer);
  const xsp_span kernel = xsp_start_span(kernel_name, XSP_DEVICE);
  spend(kKernel);
  xsp_finish_span(kernel);
  xsp_finish_span(call);
}

static void evaluate(void) {
  const xsp_span model = xsp_start_span(net, XSP_MODEL);
  spend(kModelAlone);
  for (int layer = 0; layer < kLayers; ++layer) {
    traced(XSP_LAYER, kLayerTracer);
    const xsp_span span = xsp_start_span(layer_names[layer], XSP_LAYER);
    spend(kLayerAlone * (layer + 1));
    for (int call = 0; call < layer; ++call) call_library();
    xsp_finish_span(span);
  }
  xsp_finish_span(model);
}

int main(int argc, char** argv) {
  const int evaluations = argc > 1 ? atoi(argv[1]) : 30;
  static const char* const kNames[kLayers] = {"conv", "dense", "softmax"};
  net = xsp_intern("net");
  gemm = xsp_intern("gemm");
  kernel_name = xsp_intern("kernel");
  for (int i = 0; i < kLayers; ++i) layer_names[i] = xsp_intern(kNames[i]);
  deepest = recorded_level();
  for (int i = 0; i < evaluations; ++i) evaluate();
  printf(
      "{\"model_alone\": %d, \"layer_alone\": %d, \"call_alone\": %d, \"kernel\": %d, \"layer_tracer\": %d, "
      "\"library_tracer\": %d, \"kernel_tracer\": %d, \"layers\": %d}\n",
      kModelAlone, kLayerAlone, kCallAlone, kKernel, kLayerTracer, kLibraryTracer, kKernelTracer, kLayers);
  return 0;
}
