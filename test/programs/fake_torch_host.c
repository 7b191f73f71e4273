/* Operators of the stand-in libtorch: linked to it, or loaded from the path in argv[3] into a scope of its own. Prints
   what each was: name, shapes, and for backward work the name of its forward operator. With `cost`: the processor time
   of the last tenth of the operators over that of the first, and the most memory. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct FakeTensor FakeTensor;
#ifdef TORCH_LINKED
FakeTensor* fake_tensor(int rank, const int64_t* sizes);
void fake_release(FakeTensor* tensor);
int64_t fake_operator(const char* name, int inputs, FakeTensor* const* tensors, FakeTensor* result);
void fake_backward(const char* name, int64_t sequence);
#else
static FakeTensor* (*fake_tensor)(int rank, const int64_t* sizes);
static void (*fake_release)(FakeTensor* tensor);
static int64_t (*fake_operator)(const char* name, int inputs, FakeTensor* const* tensors, FakeTensor* result);
static void (*fake_backward)(const char* name, int64_t sequence);
#endif

static double processor_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void multiply(int64_t rows, int64_t columns, int is_told) {
  const int64_t left_sizes[3] = {2, rows, columns};
  const int64_t right_sizes[2] = {columns, 3};
  const int64_t result_sizes[3] = {2, rows, 3};
  FakeTensor* tensors[2] = {fake_tensor(3, left_sizes), fake_tensor(2, right_sizes)};
  FakeTensor* result = fake_tensor(3, result_sizes);
  char name[32];
  snprintf(name, sizeof name, "aten::product_%d", (int)(rows % 7));
  const int64_t sequence = fake_operator(name, 2, tensors, result);
  if (is_told) {
    printf("%s|[2,%d,%d];[%d,3]|[2,%d,3]\n", name, (int)rows, (int)columns, (int)columns, (int)rows);
    fake_backward("ProductBackward0", sequence);
  }
  fake_release(tensors[0]);
  fake_release(tensors[1]);
  fake_release(result);
}

int main(int count, char** arguments) {
  const int is_cost = count > 1 && strcmp(arguments[1], "cost") == 0;
  const int64_t operators = count > 2 ? atoll(arguments[2]) : 100;
#ifndef TORCH_LINKED
  void* library = count > 3 ? dlopen(arguments[3], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  *(void**)&fake_tensor = dlsym(library, "fake_tensor");
  *(void**)&fake_release = dlsym(library, "fake_release");
  *(void**)&fake_operator = dlsym(library, "fake_operator");
  *(void**)&fake_backward = dlsym(library, "fake_backward");
#endif
  const int64_t shapes = is_cost ? 100000 : 1000;
  double first = 0;
  double begin = processor_seconds();
  for (int64_t i = 0; i < operators; ++i) {
    if (i == operators / 10) first = processor_seconds() - begin;
    if (i == operators - operators / 10) begin = processor_seconds();
    multiply(2 + i % shapes, 5, !is_cost);
  }
  if (is_cost) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    fprintf(stderr, "ratio %.3f\nmemory %ld KiB\n", (processor_seconds() - begin) / first, used.ru_maxrss);
  }
  printf("%lld operators\n", (long long)operators);
  return 3;
}
