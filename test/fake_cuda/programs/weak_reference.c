/* Asks whether there is a cuBLAS, by a weak reference. Linked to none. */
#include <stdio.h>

int cublasCreate_v2(void** handle) __attribute__((weak));
int unknown_library_create(void** handle) __attribute__((weak));

int main(void) {
  printf("cublas %d, unknown %d\n", cublasCreate_v2 != NULL, unknown_library_create != NULL);
  return 0;
}
