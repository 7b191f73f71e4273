/* What one library call costs its caller, per function, as nanoseconds: the median of many bursts that fit a ring, with
 * rests in which the sender empties it. Run plainly, with the guest preloaded and off, and under xsp-run; scripts/bench
 * takes the differences. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                   float*, int);
int cublasCreate_v2(void**);
int ncclGroupStart(void);

enum { kCalls = 2000, kBursts = 300 };

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static void gemm(void) {
  static const float one = 1;
  static float matrix[1];
  static int handle;
  cublasSgemm_v2(&handle, 0, 1, 128, 64, 32, &one, matrix, 128, matrix, 64, &one, matrix, 128);
}
static void create(void) {
  static void* handle;
  cublasCreate_v2(&handle);
}
static void group(void) { ncclGroupStart(); }
static void clocks(void) {
  volatile uint64_t first = __rdtsc();
  volatile uint64_t second = __rdtsc();
  (void)first, (void)second;
}
static void system_clocks(void) {
  now();
  now();
}

static double median_cost(void (*work)(void)) {
  static double costs[kBursts];
  const struct timespec rest = {0, 4000000};
  for (int burst = 0; burst < kBursts; ++burst) {
    const int64_t begin = now();
    for (int call = 0; call < kCalls; ++call) work();
    costs[burst] = (double)(now() - begin) / kCalls;
    if (burst % 2 == 1) nanosleep(&rest, 0);
  }
  qsort(costs, kBursts, sizeof costs[0], compare);
  return costs[kBursts / 2];
}

int main(void) {
  printf("{\"gemm\": %.2f, ", median_cost(gemm));
  printf("\"status_only\": %.2f, ", median_cost(create));
  printf("\"time_only\": %.2f, ", median_cost(group));
  printf("\"two_clock_reads\": %.2f, ", median_cost(clocks));
  printf("\"two_system_clock_reads\": %.2f}\n", median_cost(system_clocks));
  return 0;
}
