/* ways_out HOW: fifty products, and out. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cuda_api.h"

static void* nap(void* unused) {
  usleep(400000);
  return unused;
}

int main(int argc, char** argv) {
  (void)argc;
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  void* handle = NULL;
  cublasCreate_v2(&handle);
  for (int m = 1; m <= 50; ++m) multiply(handle, m, 1, 1);
  printf("done\n");
  fflush(stdout);
  if (strcmp(argv[1], "_exit") == 0) _exit(7);
  if (strcmp(argv[1], "quick_exit") == 0) quick_exit(7);
  if (strcmp(argv[1], "abort") == 0) abort();
  if (strcmp(argv[1], "kill") == 0) raise(SIGKILL);
  if (strcmp(argv[1], "pthread_exit") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, nap, NULL);
    pthread_exit(NULL);
  }
  return 7;
}
