/* closes_descriptors FILE: ten products, closes what it does not know, opens FILE under all those numbers, goes on. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cuda_api.h"

int main(int argc, char** argv) {
  (void)argc;
  unlink(argv[1]);
  void* handle = NULL;
  cublasCreate_v2(&handle);
  for (int m = 1; m <= 10; ++m) multiply(handle, m, 1, 1);
  usleep(300000);
  for (int descriptor = 3; descriptor < 1024; ++descriptor) close(descriptor);
  for (int i = 0; i < 300; ++i) {
    if (open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600) < 0) return 1;
  }
  for (int i = 0; i < 20; ++i) {
    for (int m = 0; m < 100; ++m) multiply(handle, m + 1, 1, 1);
    if (write(3 + i * 10, "mine\n", 5) != 5) return 2;
    usleep(10000);
  }
  printf("done\n");
  return 0;
}
