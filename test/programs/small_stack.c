/* The first span of a process, on a thread whose stack has 20 KiB. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <xsp.h>

static void* record_one(void* unused) {
  xsp_finish_span(xsp_start_span(xsp_intern("one"), XSP_MODEL));
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, 20 * 1024) != 0) return 2;
  if (pthread_create(&thread, &attributes, record_one, NULL) != 0) return 3;
  pthread_join(thread, NULL);
  puts("done");
  return 0;
}
