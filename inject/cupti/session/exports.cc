#include "inject/cupti/session/injection.h"

// Called by libcuda inside cuInit: CUDA_INJECTION64_PATH names this library.
extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  return xsp::guest::initialize_injection();
}
