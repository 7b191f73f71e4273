#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

// Exits the program with status 90 if a call of CUDA or of its libraries fails.
#define CHECK(call) check_status((call), #call, __FILE__, __LINE__)

inline void check_status(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(status));
  exit(90);
}

template <typename Status>
void check_status(Status status, const char* call, const char* file, int line) {
  if (static_cast<int>(status) == 0) return;
  fprintf(stderr, "%s:%d: %s: %d\n", file, line, call, static_cast<int>(status));
  exit(90);
}
