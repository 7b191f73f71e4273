/* 200 spans of about a millisecond, in each of which CLOCK_MONOTONIC is read at once before its begin, after its begin,
 * before its end and after its end: four numbers a line, in nanoseconds. */
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <xsp.h>

static uint64_t now(void) {
  struct timespec time;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(void) {
  const xsp_name name = xsp_intern("timed");
  const struct timespec pause = {0, 1000000};
  for (int i = 0; i < 200; ++i) {
    const uint64_t before = now();
    const xsp_span span = xsp_start_span(name, XSP_MODEL);
    const uint64_t begun = now();
    nanosleep(&pause, NULL);
    const uint64_t ending = now();
    xsp_finish_span(span);
    printf("%llu %llu %llu %llu\n", (unsigned long long)before, (unsigned long long)begun, (unsigned long long)ending,
           (unsigned long long)now());
  }
  return 0;
}
