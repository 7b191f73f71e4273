/* Asks whether there is a cuBLAS, by a weak reference and behind itself. */
#include <dlfcn.h>
#include <stdio.h>

int cublasCreate_v2(void** handle) __attribute__((weak));
int unknown_library_create(void** handle) __attribute__((weak));
#ifdef LINKED
int cublasDestroy_v2(void* handle);
int (*const keeps_the_library)(void* handle) = cublasDestroy_v2;
#endif

int main(void) {
  printf("cublas %d, unknown %d\n", cublasCreate_v2 != NULL, unknown_library_create != NULL);
  const int next = dlsym(RTLD_NEXT, "cublasCreate_v2") != NULL;
  const char* error = dlerror();
  printf("next %d: %s\n", next, error == NULL ? "no error" : error);
  return 0;
}
