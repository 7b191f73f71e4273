#include "test/bench/counted/counted.h"

#include <time.h>

__attribute__((noinline, noclone)) void xsp_counted(void (*work)(long operations), long operations) {
  work(operations);
  __asm__ volatile("" ::: "memory"); /* no tail call: the function is left when the work is done */
}

void xsp_count_thrice(void (*work)(long operations), long operations) {
  const struct timespec rest = {0, 100000000};
  xsp_counted(work, operations);
  nanosleep(&rest, 0);
  xsp_counted(work, operations);
  nanosleep(&rest, 0);
  xsp_counted(work, 2 * operations);
}
