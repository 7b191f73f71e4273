/* TOTAL threads, AT_A_TIME of which live at once, with five spans each. Prints "spans", then the resident memory in KiB
 * after each quarter.
 *
 *     thread_churn TOTAL AT_A_TIME */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xsp.h>

enum { kSpans = 5, kMost = 1024 };
static pthread_barrier_t all_recorded;
static xsp_name name;

static void* record(void* waits) {
  for (int i = 0; i < kSpans; ++i) xsp_finish_span(xsp_start_span(name, XSP_MODEL));
  if (waits != NULL) pthread_barrier_wait(&all_recorded);
  return NULL;
}

static long resident_kib(void) {
  char line[256];
  long kib = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "VmRSS:", 6) == 0) kib = atol(line + 6);
  }
  if (status != NULL) fclose(status);
  return kib;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int total = atoi(argv[1]);
  const int at_a_time = atoi(argv[2]);
  if (at_a_time > kMost) return 2;
  pthread_t threads[kMost];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  pthread_barrier_init(&all_recorded, NULL, (unsigned)at_a_time);
  name = xsp_intern("in a thread");
  printf("%d", total * kSpans);
  int quarter = 1;
  for (int made = 0; made < total; made += at_a_time) {
    for (int i = 0; i < at_a_time; ++i) {
      if (pthread_create(&threads[i], &attributes, record, &made) != 0) return 3;
    }
    for (int i = 0; i < at_a_time; ++i) pthread_join(threads[i], NULL);
    for (; quarter <= 4 && made + at_a_time >= quarter * (total / 4); ++quarter) printf(" %ld", resident_kib());
  }
  puts("");
  return 0;
}
