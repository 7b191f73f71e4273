/* blas_products LIBRARY SIZE COUNT: so many products of SIZE x SIZE matrices by sgemm_ of that library, without a model
 * around them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*product_function)(const char*, const char*, const int*, const int*, const int*, const float*,
                                 const float*, const int*, const float*, const int*, const float*, float*, const int*);

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  product_function product = library == NULL ? NULL : (product_function)dlsym(library, "sgemm_");
  if (product == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const int size = atoi(argv[2]);
  const size_t values = (size_t)size * (size_t)size;
  float* a = calloc(values, sizeof *a);
  float* b = calloc(values, sizeof *b);
  float* c = calloc(values, sizeof *c);
  const float one = 1, zero = 0;
  for (size_t i = 0; i < values; ++i) a[i] = b[i] = (float)(i % 7);
  for (int i = atoi(argv[3]); i > 0; --i) {
    product("N", "N", &size, &size, &size, &one, a, &size, b, &size, &zero, c, &size);
  }
  printf("%.0f\n", c[values - 1]);
  return 0;
}
