/* Another tool that is preloaded: counts products, and passes them on. NAME tells two of them apart. */
#include <dlfcn.h>
#include <stdio.h>

static int products;

int cublasSgemm_v2(void* handle, int op_a, int op_b, int m, int n, int k, const float* alpha, const float* a, int lda,
                   const float* b, int ldb, const float* beta, float* c, int ldc) {
  static int (*next)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                     float*, int);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "cublasSgemm_v2");
  products++;
  return next(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

__attribute__((destructor)) static void at_exit(void) { fprintf(stderr, "%s saw %d products\n", NAME, products); }
