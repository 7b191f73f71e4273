#pragma once

#include <cstdint>

namespace xsp::guest {

/// What is read of an OpKernelContext: the step it belongs to, and the shapes of its outputs once its kernel has run.
/// No exported function gives either.
///
/// The place of the pointer to its Params counts if what it points to begins with a step and has, side by side, the
/// addresses of the very kernel and device that run. Somewhere behind it (at once since 2.0) lie the outputs, an
/// absl::InlinedVector of pointers to tensors. A tensor's sizes count if their product is the number of elements that
/// it keeps beside them. Until several kernels have agreed, memory is read through the kernel of the system; what
/// disagrees is not read again, which a notice says once.

inline constexpr int64_t kUnknownStep = INT64_MIN;

/// The step of the call that this kernel runs in; kUnknownStep where it is not known.
int64_t step_of(const void* context, const void* kernel, const void* device);

/// String id of the outputs' shapes, "[1,64,112,112];[64]"; 0 where they are not known. After the kernel has run.
uint32_t output_shapes_of(const void* context);

/// The same, not as a text; false where they are not known.
struct Shapes;
bool read_output_shapes(const void* context, Shapes* shapes);

/// The number of elements of a TensorShape; false where its sizes do not say the same.
bool count_elements(const void* shape, int64_t* elements);

}  // namespace xsp::guest
