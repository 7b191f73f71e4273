/* counted_calls api|plt|library|gemm|lookup: a span by the C API, a call of it that does nothing, library calls that
 * XSP wraps, a lookup of a name that is none of ours. */
#include <dlfcn.h>
#include <string.h>

#include "test/bench/counted/counted.h"
#include "xsp.h"

enum { kCalls = 1000 }; /* three times as many records fit a quarter of a ring */

/* Of empty_library.c. */
int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                   float*, int);
int ncclGroupStart(void);

static xsp_name name;
static void* library;

static void api(long calls) {
  for (long i = 0; i < calls; ++i) xsp_finish_span(xsp_start_span(name, XSP_LAYER));
}
static void plt(long calls) {
  for (long i = 0; i < calls; ++i) xsp_finish_span(0);
}
static void library_call(long calls) {
  for (long i = 0; i < calls; ++i) ncclGroupStart();
}
static void gemm(long calls) {
  static const float one = 1;
  static float matrix[1];
  static int handle;
  for (long i = 0; i < calls; ++i) {
    cublasSgemm_v2(&handle, 0, 1, 128, 64, 32, &one, matrix, 128, matrix, 64, &one, matrix, 128);
  }
}
static void lookup(long calls) {
  for (long i = 0; i < calls; ++i) dlsym(library, "posix_spawn_file_actions_init");
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*work)(long calls);
  } kWorks[] = {{"api", api}, {"plt", plt}, {"library", library_call}, {"gemm", gemm}, {"lookup", lookup}};
  name = xsp_intern("span");
  library = dlopen("libc.so.6", RTLD_LAZY);
  for (unsigned i = 0; argc > 1 && i < sizeof kWorks / sizeof kWorks[0]; ++i) {
    if (strcmp(argv[1], kWorks[i].name) != 0) continue;
    xsp_count_thrice(kWorks[i].work, kCalls);
    return 0;
  }
  return 2;
}
