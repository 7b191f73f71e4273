#pragma once

namespace xsp::guest {

/// Asynchronous kernels of TensorFlow (AsyncOpKernel): they return early and call a function when they are done, on any
/// thread. Each becomes a span of level layer from its call to then: waiting for the input pipeline (IteratorGetNext),
/// collectives. Not those that run kernels of a function themselves, which have spans of their own, nor transfers
/// between devices.
using ComputeAsync = void (*)(void* device, void* kernel, void* context, void* done);

/// Runs the kernel by `real`, as Device::ComputeAsync would. `done` is a std::function<void()>.
void run_async_kernel(ComputeAsync real, void* device, void* kernel, void* context, void* done);

}  // namespace xsp::guest
