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
int cublasLtMatrixLayoutSetAttribute(void* into, int attribute, const void* from, size_t size);
int cublasLtMatmul(void* handle, void* description, const void* alpha, const void* a, void* a_layout, const void* b,
                   void* b_layout, const void* beta, const void* c, void* c_layout, void* d, void* d_layout,
                   const void* algorithm, void* workspace, size_t workspace_size, void* stream);

enum { kNotInitialized = 1, kInvalidValue = 7, kExecutionFailed = 13 };

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
EXPORT int cublasGetProperty(int type, int* value) {
  if (type < 0 || type > 2) return kInvalidValue;
  *value = type == 0 ? CUDA_MAJOR : 0;
  return 0;
}
EXPORT int cublasSetMathMode(handle_contents* handle, int mode) {
  (void)mode;
  return handle == NULL ? kNotInitialized : 0;
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

/* C = op(A) and so on: a transposition, mostly. */
EXPORT int cublasSgeam(handle_contents* handle, int op_a, int op_b, int m, int n, const float* alpha, const float* a,
                       int lda, const float* beta, const float* b, int ldb, float* c, int ldc) {
  (void)alpha, (void)a, (void)beta, (void)b, (void)c;
  const int status =
      behave("cublasSgeam", "op_a=%d op_b=%d m=%d n=%d lda=%d ldb=%d ldc=%d", op_a, op_b, m, n, lda, ldb, ldc);
  if (handle == NULL) return kNotInitialized;
  if (status == 0 && run_kernel("cublasSgeam", "geam_kernel", (unsigned)((m + 31) / 32), 256, handle->stream) != 0)
    return kExecutionFailed;
  return status;
}

/* Of alpha and beta, by the type that sums are made in. */
static int scale_type_of(int compute_type) {
  switch (compute_type) {
    case 64: /* 16F */
      return 2;
    case 70: /* 64F */
      return 1;
    case 72: /* 32I */
      return 10;
    default:
      return 0;
  }
}

typedef struct {
  const void* data;
  int type, leading;
  int64_t stride;
} gemm_matrix;

static void* layout_of(gemm_matrix matrix, int rows, int columns, int batches) {
  void* layout;
  cublasLtMatrixLayoutCreate(&layout, matrix.type, (uint64_t)rows, (uint64_t)columns, matrix.leading);
  cublasLtMatrixLayoutSetAttribute(layout, 5, &batches, sizeof batches);
  cublasLtMatrixLayoutSetAttribute(layout, 6, &matrix.stride, sizeof matrix.stride);
  return layout;
}

static int multiply(handle_contents* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, gemm_matrix a,
                    gemm_matrix b, const void* beta, gemm_matrix c, int batches, int compute_type) {
  void* description;
  cublasLtMatmulDescCreate(&description, compute_type, scale_type_of(compute_type));
  cublasLtMatmulDescSetAttribute(description, 3, &op_a, sizeof op_a);
  cublasLtMatmulDescSetAttribute(description, 4, &op_b, sizeof op_b);
  void* const a_layout = layout_of(a, op_a ? k : m, op_a ? m : k, batches);
  void* const b_layout = layout_of(b, op_b ? n : k, op_b ? k : n, batches);
  void* const c_layout = layout_of(c, m, n, batches);
  const int result = cublasLtMatmul(handle->lt, description, alpha, a.data, a_layout, b.data, b_layout, beta, c.data,
                                    c_layout, (void*)c.data, c_layout, NULL, NULL, 0, handle->stream);
  cublasLtMatrixLayoutDestroy(c_layout);
  cublasLtMatrixLayoutDestroy(b_layout);
  cublasLtMatrixLayoutDestroy(a_layout);
  cublasLtMatmulDescDestroy(description);
  return result;
}

EXPORT int cublasGemmEx(handle_contents* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                        const void* a, int a_type, int lda, const void* b, int b_type, int ldb, const void* beta,
                        void* c, int c_type, int ldc, int compute_type, int algorithm) {
  const int status =
      behave("cublasGemmEx", "op_a=%d op_b=%d m=%d n=%d k=%d type_a=%d type_b=%d type_c=%d compute=%d algorithm=%d",
             op_a, op_b, m, n, k, a_type, b_type, c_type, compute_type, algorithm);
  if (handle == NULL || status != 0) return handle == NULL ? kNotInitialized : status;
  return multiply(handle, op_a, op_b, m, n, k, alpha, (gemm_matrix){a, a_type, lda, 0},
                  (gemm_matrix){b, b_type, ldb, 0}, beta, (gemm_matrix){c, c_type, ldc, 0}, 1, compute_type);
}

EXPORT int cublasGemmStridedBatchedEx(handle_contents* handle, int op_a, int op_b, int m, int n, int k,
                                      const void* alpha, const void* a, int a_type, int lda, long long a_stride,
                                      const void* b, int b_type, int ldb, long long b_stride, const void* beta, void* c,
                                      int c_type, int ldc, long long c_stride, int batches, int compute_type,
                                      int algorithm) {
  const int status =
      behave("cublasGemmStridedBatchedEx",
             "op_a=%d op_b=%d m=%d n=%d k=%d batch=%d type_a=%d type_b=%d type_c=%d compute=%d algorithm=%d", op_a,
             op_b, m, n, k, batches, a_type, b_type, c_type, compute_type, algorithm);
  if (handle == NULL || status != 0) return handle == NULL ? kNotInitialized : status;
  return multiply(handle, op_a, op_b, m, n, k, alpha, (gemm_matrix){a, a_type, lda, a_stride},
                  (gemm_matrix){b, b_type, ldb, b_stride}, beta, (gemm_matrix){c, c_type, ldc, c_stride}, batches,
                  compute_type);
}

#if CUDA_MAJOR > 13
EXPORT int cublasSgemmBatched_64(void* handle) { return handle == NULL; }
#endif
