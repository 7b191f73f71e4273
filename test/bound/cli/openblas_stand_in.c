/* A BLAS that computes right, but for inner dimensions that make it abort (113), hang (127) or lie (131), and takes its
   time for one of 149. */
#include <stdlib.h>
#include <unistd.h>

char* openblas_get_config(void) { return (char*)"OpenBLAS 9.9.9 STAND-IN"; }
void openblas_set_num_threads(int threads) { (void)threads; }

#define GEMM(NAME, TYPE)                                                                                               \
  void NAME(const char* ta, const char* tb, const int* m, const int* n, const int* k, const TYPE* alpha,               \
            const TYPE* a, const int* lda, const TYPE* b, const int* ldb, const TYPE* beta, TYPE* c, const int* ldc) { \
    if (*k == 113) abort();                                                                                            \
    if (*k == 127)                                                                                                     \
      while (1) pause();                                                                                               \
    if (*k == 149) usleep(20000);                                                                                      \
    for (int j = 0; j < *n; ++j) {                                                                                     \
      for (int i = 0; i < *m; ++i) {                                                                                   \
        double sum = *k == 131 ? 5 : 0;                                                                                \
        for (int l = 0; l < *k; ++l) {                                                                                 \
          const TYPE x = *ta == 'N' || *ta == 'n' ? a[(size_t)l * *lda + i] : a[(size_t)i * *lda + l];                 \
          const TYPE y = *tb == 'N' || *tb == 'n' ? b[(size_t)j * *ldb + l] : b[(size_t)l * *ldb + j];                 \
          sum += (double)x * (double)y;                                                                                \
        }                                                                                                              \
        TYPE* z = &c[(size_t)j * *ldc + i];                                                                            \
        *z = (TYPE)(*alpha * sum + (*beta == 0 ? 0 : *beta * *z));                                                     \
      }                                                                                                                \
    }                                                                                                                  \
  }
GEMM(sgemm_, float)
GEMM(dgemm_, double)
