#pragma once

#include <cstdint>

#include "inject/record/thread.h"

namespace xsp::guest {

/// Kernels of TensorFlow (OpKernel) as spans of level layer, on the thread that runs them: what they call of oneDNN,
/// BLAS and CUDA lies inside.

using Compute = void (*)(void* device, void* kernel, void* context);

/// The scope of the call that the kernel belongs to; 0: none, as for kernels that an eager operation or an input
/// pipeline runs.
uint32_t scope_of_kernel(Thread& thread, const void* device, const void* kernel, const void* context);

/// Runs a kernel by `real`, as Device::Compute would, in a span.
void run_kernel(Compute real, void* device, void* kernel, void* context);

}  // namespace xsp::guest
