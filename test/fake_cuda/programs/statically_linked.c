/* Has cuBLAS inside, whose calls cross no symbol, and the runtime beside it. Large, as such programs are, and with the
 * name of the variable that cuBLAS reads. */
#include <stdio.h>
#include <stdlib.h>

#include "cuda_api.h"

static const char ballast[2 << 20] = {1};

int main(int argc, char** argv) {
  void* handle = NULL;
  void* memory = NULL;
  printf("malloc %d\n", cudaMalloc(&memory, 16));
  printf("create %d\n", cublasCreate_v2(&handle));
  printf("gemm %d\n", multiply(handle, 1, 2, 3));
  if (getenv("CUBLAS_LOGINFO_DBG") != NULL) printf("logged\n");
  return ballast[argc * 1000 + (argv != NULL)];
}
