/* libcublas.so.CUDA_MAJOR. GemmEx goes through cublasLt, by the PLT as in the real one; the library is linked
 * -Bsymbolic, so that calls inside it cross no symbol. Where there is a driver, products run kernels. */
#include <stdint.h>

#include "behaviour.h"
#include "driver_launch.h"

#define EXPORT __attribute__((visibility("default")))

int cublasLtCreate(void** handle);
int cublasLtDestroy(void* handle);
int cublasLtMatmulDescCreate(void** created, int compute_type, int scale_type);
int cublasLtMatmulDescDestroy(void* destroyed);
int cublasLtMatmulDescSetAttribute(void* into, int attribute, const void* from, size_t size);
int cublasLtMatrixLayoutCreate(void** created, int type, uint64_t rows, uint64_t columns, int64_t ld);
int cublasLtMatrixLayoutDestroy(void* destroyed);
int cublasLtMatmul(void* handle, void* description, const void* alpha, const void* a, void* a_layout, const void* b,
                   void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,
                   const void* algorithm, void* workspace, size_t workspace_size, void* stream);

enum { kNotInitialized = 1, kExecutionFailed = 13 };

typedef struct {
  void* stream;
  void* lt;
} handle_contents;

EXPORT int cublasCreate_v2(handle_contents** handle) {
  *handle = calloc(1, sizeof **handle);
  cublasLtCreate(&(*handle)->lt);
  return behave("cublasCreate_v2", "%s", "");
}
EXPORT int cublasDestroy_v2(handle_contents* handle) {
  cublasLtDestroy(handle->lt);
  free(handle);
  return behave("cublasDestroy_v2", "%s", "");
}
EXPORT int cublasGetVersion_v2(handle_contents* handle, int* version) {
  (void)handle;
  *version = CUDA_MAJOR * 10000;
  return 0;
}
EXPORT int cublasSetStream_v2(handle_contents* handle, void* stream) {
  if (handle == NULL) return kNotInitialized;
  handle->stream = stream;
  return 0;
}
EXPORT int cublasGetStream_v2(handle_contents* handle, void** stream) {
  if (handle == NULL) return kNotInitialized;
  *stream = handle->stream;
  return 0;
}

EXPORT int cublasSgemm_v2(handle_contents* handle, int op_a, int op_b, int m, int n, int k, const float* alpha,
                          const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc) {
  (void)alpha, (void)a, (void)b, (void)beta, (void)c;
  const int status = behave("cublasSgemm_v2", "op_a=%d op_b=%d m=%d n=%d k=%d lda=%d ldb=%d ldc=%d", op_a, op_b, m, n,
                            k, lda, ldb, ldc);
  if (handle == NULL) return kNotInitialized;
  if (status == 0 &&
      run_kernel("cublasSgemm_v2", "ampere_sgemm_128x64_tn", (unsigned)((m + 127) / 128), 128, handle->stream) != 0)
    return kExecutionFailed;
  return status;
}

EXPORT int cublasGemmEx(handle_contents* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                        const void* a, int a_type, int lda, const void* b, int b_type, int ldb, const void* beta,
                        void* c, int c_type, int ldc, int compute_type, int algorithm) {
  const int status =
      behave("cublasGemmEx", "op_a=%d op_b=%d m=%d n=%d k=%d type_a=%d type_b=%d type_c=%d compute=%d algorithm=%d",
             op_a, op_b, m, n, k, a_type, b_type, c_type, compute_type, algorithm);
  if (handle == NULL || status != 0) return handle == NULL ? kNotInitialized : status;
  void *description, *a_layout, *b_layout, *c_layout;
  cublasLtMatmulDescCreate(&description, compute_type, 0);
  cublasLtMatmulDescSetAttribute(description, 3, &op_a, sizeof op_a);
  cublasLtMatmulDescSetAttribute(description, 4, &op_b, sizeof op_b);
  cublasLtMatrixLayoutCreate(&a_layout, a_type, (uint64_t)(op_a ? k : m), (uint64_t)(op_a ? m : k), lda);
  cublasLtMatrixLayoutCreate(&b_layout, b_type, (uint64_t)(op_b ? n : k), (uint64_t)(op_b ? k : n), ldb);
  cublasLtMatrixLayoutCreate(&c_layout, c_type, (uint64_t)m, (uint64_t)n, ldc);
  const int result = cublasLtMatmul(handle->lt, description, alpha, a, a_layout, b, b_layout, beta, c, c_layout, c,
                                    c_layout, NULL, NULL, 0, handle->stream);
  cublasLtMatrixLayoutDestroy(c_layout);
  cublasLtMatrixLayoutDestroy(b_layout);
  cublasLtMatrixLayoutDestroy(a_layout);
  cublasLtMatmulDescDestroy(description);
  return result;
}

#if CUDA_MAJOR > 13
EXPORT int cublasSgemmBatched_64(void* handle) { return handle == NULL; }
#endif
