// Calls an executor and a cached operator of the stand-in forty times each, without waiting for one before the next,
// and prints how many calls failed. Functions are looked up, as Python's ctypes does.

#include <dlfcn.h>

#include <cstdio>

#include "test/fake_mxnet/mxnet.h"

int main() {
  // The library is linked, so that it is there; its scope is asked for its functions.
  fake_mxnet_sum();
  void* library = dlopen("libmxnet.so", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return 1;
  const auto bind = reinterpret_cast<decltype(&MXExecutorSimpleBindEx)>(dlsym(library, "MXExecutorSimpleBindEx"));
  void* executor = nullptr;
  bind(&executor);
  const auto forward = reinterpret_cast<decltype(&MXExecutorForward)>(dlsym(library, "MXExecutorForward"));
  const auto invoke = reinterpret_cast<decltype(&MXInvokeCachedOpEx)>(dlsym(library, "MXInvokeCachedOpEx"));
  int failed = 0;
  for (int i = 0; i < 40; ++i) failed += forward(executor, 0) != 0;
  for (int i = 0; i < 40; ++i) failed += invoke(nullptr, 0, nullptr, nullptr, nullptr, nullptr) != 0;
  MXNDArrayWaitAll();
  std::printf("%d\n", failed);
}
