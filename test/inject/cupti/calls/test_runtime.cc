#include "test/inject/cupti/calls/test_runtime.h"

using namespace xsp::test;
using xsp::guest::cupti::kDriverApi;
using xsp::guest::cupti::kRuntimeApi;

#pragma GCC visibility push(default)
extern "C" {

xsp::guest::cupti::Callback* test_runtime_callback = nullptr;

int cudaLaunchKernel(void* func, int correlation, void* /*stream*/) {
  ApiCall call(test_runtime_callback, kRuntimeApi, kLaunchKernel, static_cast<uint32_t>(correlation));
  call.enter();
  ApiCall inner(test_runtime_callback, kDriverApi, kDriverLaunch, static_cast<uint32_t>(correlation));
  inner.enter();
  inner.exit();
  const int status = func == nullptr ? 1 : 0;
  call.exit(status);
  return status;
}

int cudaStreamSynchronize(void* stream) { return stream == nullptr ? 0 : 1; }

int cudaStreamCreate(int correlation) {
  ApiCall inner(test_runtime_callback, kDriverApi, kDriverMemAlloc, static_cast<uint32_t>(correlation));
  inner.enter();
  inner.exit();
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
