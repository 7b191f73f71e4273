/* A model call of some 30 us again and again, with many spans of its own inside: api_model_loop SECONDS. Prints how
 * many. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <xsp.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static volatile unsigned sink;

static void work(void) {
  unsigned value = sink;
  for (int i = 0; i < 300; ++i) value = value * 1664525U + 1013904223U;
  sink = value;
}

int main(int count, char** arguments) {
  const double end = now() + (count > 1 ? atof(arguments[1]) : 1);
  const xsp_name model = xsp_intern("model");
  const xsp_name part = xsp_intern("part");
  long calls = 0;
  while (now() < end) {
    const xsp_span call = xsp_start_span(model, XSP_MODEL);
    for (int i = 0; i < 100; ++i) {
      const xsp_span inner = xsp_start_span(part, XSP_APPLICATION);
      work();
      xsp_finish_span(inner);
    }
    xsp_finish_span(call);
    ++calls;
  }
  printf("%ld\n", calls);
  return 0;
}
