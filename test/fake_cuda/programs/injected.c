/* A library of the user's for CUDA_INJECTION64_PATH. */
#include <stdio.h>

int InitializeInjection(void);

int InitializeInjection(void) {
  puts("injected");
  fflush(stdout);
  return 1;
}
