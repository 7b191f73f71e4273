/* 400 threads at a time, each with one span. */
#include <pthread.h>
#include <stdio.h>
#include <xsp.h>

enum { kThreads = 400 };
static pthread_barrier_t all_recorded;

static void* record_one(void* unused) {
  xsp_finish_span(xsp_start_span(xsp_intern("one"), XSP_MODEL));
  pthread_barrier_wait(&all_recorded);
  return unused;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&all_recorded, NULL, kThreads);
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, record_one, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  puts("done");
  return 0;
}
