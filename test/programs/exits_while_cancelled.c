/* exits_while_cancelled: a thread that has been cancelled leaves by _exit(3), which is no cancellation point. A status
 * of 0 means that the thread was unwound out of _exit. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <xsp.h>

static void* leave(void* unused) {
  xsp_span span = xsp_start_span(xsp_intern("last"), XSP_MODEL);
  pthread_cancel(pthread_self()); /* pending until the next cancellation point */
  xsp_finish_span(span);
  _exit(3);
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, leave, NULL) != 0) return 2;
  pthread_join(thread, NULL);
  fputs("the thread was cancelled inside _exit\n", stderr);
  return 0;
}
