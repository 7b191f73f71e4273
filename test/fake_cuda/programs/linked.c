/* Linked to cuBLAS: a product in single precision, one in half, and one that the library refuses. */
#include <stdio.h>

#include "cuda_api.h"

int main(void) {
  void* handle = NULL;
  int version = 0;
  printf("create %d\n", cublasCreate_v2(&handle));
  printf("stream %d\n", cublasSetStream_v2(handle, (void*)0x1234));
  printf("version %d\n", cublasGetVersion_v2(handle, &version));
  printf("%d\n", version);
  printf("single %d\n", multiply(handle, 128, 64, 32));
  printf("half %d\n", multiply_half(handle, 256, 16, 8));
  printf("refused %d\n", multiply(NULL, 1, 1, 1));
  printf("destroy %d\n", cublasDestroy_v2(handle));
  return 0;
}
