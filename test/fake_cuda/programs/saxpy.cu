// What nvcc makes of CUDA C++: kernels launched by <<<>>> on the stand-in runtime, where nothing is computed.
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

template <typename T>
__global__ void fill(T* into, T value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) into[i] = value;
}

int main() {
  const int n = 1 << 20;
  float *x, *y;
  std::vector<float> host(n);
  cudaStream_t stream;
  int failed = 0;
  failed += cudaStreamCreate(&stream) != cudaSuccess;
  failed += cudaMalloc(&x, n * sizeof *x) != cudaSuccess;
  failed += cudaMalloc(&y, n * sizeof *y) != cudaSuccess;
  failed += cudaMemcpyAsync(x, host.data(), n * sizeof *x, cudaMemcpyHostToDevice, stream) != cudaSuccess;
  for (int i = 0; i < 3; ++i) {
    fill<float><<<n / 256, 256, 0, stream>>>(y, 1.0f, n);
    saxpy<<<dim3(n / 512, 1), dim3(512, 1), 1024, stream>>>(n, 2.0f, x, y);
  }
  failed += cudaGetLastError() != cudaSuccess;
  failed += cudaStreamSynchronize(stream) != cudaSuccess;
  printf("failed: %d\n", failed);
  return failed != 0;
}
