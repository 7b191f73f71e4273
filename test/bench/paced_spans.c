/* Records spans at a steady rate: paced_spans SPANS_PER_SECOND SECONDS. For the sender's own CPU time (Q1). */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "xsp.h"

int main(int argc, char** argv) {
  const long rate = argc > 1 ? atol(argv[1]) : 100000;
  const double seconds = argc > 2 ? atof(argv[2]) : 5;
  const long per_tick = rate / 1000;
  const xsp_name name = xsp_intern("paced");
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  long spans = 0;
  for (long tick = 0; tick < (long)(seconds * 1000); ++tick) {
    for (long i = 0; i < per_tick; ++i, ++spans) xsp_finish_span(xsp_start_span(name, XSP_LAYER));
    next.tv_nsec += 1000000;
    if (next.tv_nsec >= 1000000000) {
      next.tv_nsec -= 1000000000;
      next.tv_sec++;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
  }
  printf("%ld spans\n", spans);
  return 0;
}
