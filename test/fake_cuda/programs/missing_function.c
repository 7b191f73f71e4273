/* Calls a function that the installed cuBLAS does not have. It is bound lazily: the program gets as far as the call. */
#include <stdio.h>

#include "cuda_api.h"

int cublasSgemmBatched_64(void*);

int main(int argc, char** argv) {
  (void)argv;
  void* handle = NULL;
  printf("create %d\n", cublasCreate_v2(&handle));
  fflush(stdout);
  if (argc > 1) printf("%d\n", cublasSgemmBatched_64(handle));
  return 0;
}
