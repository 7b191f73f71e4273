#ifndef XSP_TEST_FAKE_CUDA_CUDA_API_H
#define XSP_TEST_FAKE_CUDA_CUDA_API_H

/* The functions that the programs here call, with the vendor's binary interface. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  unsigned x, y, z;
} dim3;

typedef struct {
  dim3 grid, block;
  size_t shared;
  void* stream;
  void* attributes;
  unsigned attribute_count;
} launch_config;

int cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, void*);
int cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, size_t, void*);
int cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t, void*);
int cudaLaunchCooperativeKernel_ptsz(const void*, dim3, dim3, void**, size_t, void*);
int cudaLaunchKernelExC(const launch_config*, const void*, void**);
int cudaLaunchKernelExC_ptsz(const launch_config*, const void*, void**);
int __cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, void*);
int __cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, size_t, void*);
int cudaGraphLaunch(void*, void*);
int cudaGraphLaunch_ptsz(void*, void*);
int cudaMalloc(void**, size_t);
int cudaFree(void*);
int cudaMemcpy(void*, const void*, size_t, int);
int cudaMemcpyAsync(void*, const void*, size_t, int, void*);

int cublasCreate_v2(void**);
int cublasDestroy_v2(void*);
int cublasSetStream_v2(void*, void*);
int cublasGetVersion_v2(void*, int*);
int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                   float*, int);
int cublasGemmEx(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*,
                 void*, int, int, int, int);

#ifdef __cplusplus
}
#endif

/* C = A B with the sizes m, n, k; the result is never looked at. */
static inline int multiply(void* handle, int m, int n, int k) {
  static const float one = 1;
  static float matrix[1];
  return cublasSgemm_v2(handle, 0, 1, m, n, k, &one, matrix, m, matrix, n, &one, matrix, m);
}

/* The same in half precision (CUDA_R_16F 2, CUBLAS_COMPUTE_32F 68), by way of cublasLt. */
static inline int multiply_half(void* handle, int m, int n, int k) {
  static const float one = 1;
  static float matrix[1];
  return cublasGemmEx(handle, 1, 0, m, n, k, &one, matrix, 2, k, matrix, 2, k, &one, matrix, 2, m, 68, -1);
}

#endif
