#include "test/inject/library/test_library.h"

extern "C" {

/// Fails when m is negative, and depends on every argument.
int test_gemm(void* handle, int transa, int m, int n, int64_t k, float alpha, const float* a) {
  return m < 0 || handle == nullptr || transa > 1 || n < 0 || k < 0 || alpha < 0 || a == nullptr ? 7 : 0;
}
int test_launch(test_grid grid, size_t shared_mem) { return grid.x * grid.y * grid.z == shared_mem ? 0 : 7; }
int test_activation(void* x_descriptor) { return x_descriptor == nullptr ? 7 : 0; }
void test_call(void (*callback)(void*), void* argument) { callback(argument); }
int test_version() { return 42; }
int test_query(int* version) {
  *version = 42;
  return 0;
}
}
