/* To be preloaded: the time of day jumps by an hour, back and forth, every few readings, as if it were being set. */
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t step(void) {
  static atomic_uint readings;
  const unsigned reading = atomic_fetch_add(&readings, 1) / 3;
  return reading % 3 == 0 ? 0 : reading % 3 == 1 ? 3600 : -3600;
}

int clock_gettime(clockid_t clock, struct timespec* at) {
  const int result = (int)syscall(SYS_clock_gettime, clock, at);
  if (result == 0 && clock == CLOCK_REALTIME) at->tv_sec += step();
  return result;
}

int gettimeofday(struct timeval* restrict at, void* restrict zone) {
  const int result = (int)syscall(SYS_gettimeofday, at, zone);
  if (result == 0) at->tv_sec += step();
  return result;
}

time_t time(time_t* at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at != NULL) *at = now.tv_sec;
  return now.tv_sec;
}
