#pragma once

#include <cstddef>
#include <cstdint>

/// The functions of test_library.txt, as a program would call them.
extern "C" {
struct test_grid {
  unsigned x, y, z;
};
int test_gemm(void* handle, int transa, int m, int n, int64_t k, float alpha, const float* a);
int test_launch(test_grid grid, size_t shared_mem);
int test_activation(void* x_descriptor);
void test_call(void (*callback)(void*), void* argument);
int test_query(int* version);
/// Not wrapped: makes the linker keep the library, whose other functions the executable defines.
int test_version();
}
