/* What looking a name up costs that is none of ours, in nanoseconds: the median over bursts, for a name that is found
 * in a handle, one found in the global scope, and one that nothing has. Run plainly and with the guest preloaded;
 * scripts/bench takes the ratios. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kLookups = 2000, kBursts = 401 };

static void* library;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static void in_handle(void) { dlsym(library, "posix_spawn_file_actions_init"); }
static void in_global_scope(void) { dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_init"); }
static void missing(void) { dlsym(library, "cudaNotAFunctionOfAnyVersion"); }

static double median_cost(void (*work)(void)) {
  static double costs[kBursts];
  for (int burst = 0; burst < kBursts; ++burst) {
    const int64_t begin = now();
    for (int i = 0; i < kLookups; ++i) work();
    costs[burst] = (double)(now() - begin) / kLookups;
  }
  qsort(costs, kBursts, sizeof costs[0], compare);
  return costs[kBursts / 2];
}

int main(void) {
  library = dlopen("libc.so.6", RTLD_LAZY);
  printf("{\"in_handle\": %.2f, ", median_cost(in_handle));
  printf("\"in_global_scope\": %.2f, ", median_cost(in_global_scope));
  printf("\"missing\": %.2f}\n", median_cost(missing));
  return 0;
}
