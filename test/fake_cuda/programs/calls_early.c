/* Multiplies before libc itself is initialised, and once more in main. */
#include <stdio.h>

#include "cuda_api.h"

static void multiply_early(void) { multiply(NULL, 1, 1, 1); }
__attribute__((section(".preinit_array"), used)) static void (*const before_all_constructors)(void) = multiply_early;

int main(void) {
  void* handle = NULL;
  cublasCreate_v2(&handle);
  multiply(handle, 2, 2, 2);
  puts("done");
  return 0;
}
