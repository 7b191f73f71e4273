/* A library linked to cuBLAS, as a framework's extension is. */
#include <stdio.h>

#include "cuda_api.h"

int run(int m) {
  void* handle = NULL;
  int version = 0;
  if (cublasCreate_v2(&handle) != 0 || cublasGetVersion_v2(handle, &version) != 0) return -1;
  const int status = multiply(handle, m, 2, 3) + multiply_half(handle, m, 4, 5);
  cublasDestroy_v2(handle);
  return status == 0 ? version : -1;
}
