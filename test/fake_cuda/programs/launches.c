/* Every way in which compiled code launches a kernel or a graph: of CUDA 13 also the one that nvcc's <<<>>> becomes. */
#include <stdio.h>

#include "cuda_api.h"

int main(void) {
  const dim3 grid = {2, 3, 4};
  const dim3 block = {64, 1, 1};
  const launch_config config = {grid, block, 256, (void*)0x77, NULL, 0};
  int failed = 0;
  failed += cudaLaunchKernel(&grid, grid, block, NULL, 256, (void*)0x77);
  failed += cudaLaunchKernel_ptsz(&grid, grid, block, NULL, 256, NULL);
  failed += cudaLaunchCooperativeKernel(&grid, grid, block, NULL, 0, NULL);
  failed += cudaLaunchCooperativeKernel_ptsz(&grid, grid, block, NULL, 0, NULL);
  failed += cudaLaunchKernelExC(&config, &grid, NULL);
  failed += cudaLaunchKernelExC_ptsz(&config, &grid, NULL);
#if CUDA_MAJOR >= 13
  failed += __cudaLaunchKernel(&grid, grid, block, NULL, 256, NULL);
  failed += __cudaLaunchKernel_ptsz(&grid, grid, block, NULL, 256, NULL);
#endif
  failed += cudaGraphLaunch((void*)0x88, NULL);
  failed += cudaGraphLaunch_ptsz((void*)0x88, NULL);
  void* memory = NULL;
  char bytes[512] = {0};
  failed += cudaMalloc(&memory, sizeof bytes);
  failed += cudaMemcpy(memory, bytes, sizeof bytes, 1);
  failed += cudaMemcpyAsync(bytes, memory, 100, 2, (void*)0x77);
  failed += cudaFree(memory);
  printf("failed: %d\n", failed);
  return 0;
}
