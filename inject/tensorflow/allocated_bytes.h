#pragma once

#include <cstdint>

#include "inject/record/thread.h"
#include "inject/tensorflow/tensorflow_objects.h"

namespace xsp::guest {

/// Bytes that kernels of TensorFlow allocate, for outputs and temporary tensors: OpKernelContext::allocate_tensor,
/// through which both go, is called within the library by its table. A call counts if its first words have the very
/// context of the kernel that runs on the thread.

/// Replaces it, if the slot has it.
void hook_allocation(const TensorflowObjects& libraries, const ElfObject& object, const SymbolSlot& slot);

/// The kernel with this context begins on the thread. Returns what is to be given back to end_allocations(), as kernels
/// may run inside others.
struct KernelAllocations {
  const void* outer_context;
  uint64_t outer_bytes;
};
KernelAllocations begin_allocations(Thread& thread, const void* context);

/// Bytes since then. False where allocations are not seen.
bool end_allocations(Thread& thread, const KernelAllocations& outer, uint64_t* bytes);

}  // namespace xsp::guest
