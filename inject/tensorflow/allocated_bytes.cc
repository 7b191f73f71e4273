#include "inject/tensorflow/allocated_bytes.h"

#include <string.h>

#include <atomic>

#include "inject/hooks/any_call.h"
#include "inject/objects/writable_slots.h"
#include "inject/tensorflow/open_calls.h"
#include "inject/tensorflow/output_shapes.h"

namespace xsp::guest {
namespace {

/// (DataType, const TensorShape&, Tensor*, AllocatorAttributes, const AllocationAttributes&). A Status that is returned
/// in memory has its address in front.
constexpr const char* kAllocateTensor = "_ZN10tensorflow15OpKernelContext15allocate_tensorE";
constinit xsp_any_function real_allocate = nullptr;
using SizeOfType = size_t (*)(int type);
constinit SizeOfType size_of_type = nullptr;

void count(Thread* thread, const void* type, const void* shape) {
  int64_t elements = 0;
  if (!count_elements(shape, &elements)) return;
  const size_t bytes = size_of_type(static_cast<int>(reinterpret_cast<intptr_t>(type)));
  thread->of<TensorflowThread>().allocated += static_cast<uint64_t>(elements) * bytes;
}

void* allocate(void* a, void* b, void* c, void* d, void* e, void* f, xsp_stack_words stack) {
  if (Thread* thread = known_thread()) {
    const void* context = thread->of<TensorflowThread>().context;
    if (context != nullptr && b == context) count(thread, c, d);
    if (context != nullptr && a == context) count(thread, b, c);
  }
  return real_allocate(a, b, c, d, e, f, stack);
}

}  // namespace

void hook_allocation(const TensorflowObjects& libraries, const ElfObject& object, const SymbolSlot& slot) {
#if defined(__x86_64__)
  if (strncmp(slot.name, kAllocateTensor, strlen(kAllocateTensor)) != 0) return;
  const auto real = reinterpret_cast<xsp_any_function>(libraries.find(slot.name));
  size_of_type = reinterpret_cast<SizeOfType>(libraries.find("TF_DataTypeSize"));
  if (real == nullptr || size_of_type == nullptr || (real_allocate != nullptr && real_allocate != real)) return;
  const WritableSlots writable(object, slot.place, sizeof *slot.place);
  if (!writable) return;
  real_allocate = real;
  __atomic_store_n(slot.place, reinterpret_cast<uintptr_t>(allocate), __ATOMIC_RELEASE);
#endif
}

KernelAllocations begin_allocations(Thread& thread, const void* context) {
  auto& mine = thread.of<TensorflowThread>();
  const KernelAllocations outer{.outer_context = mine.context, .outer_bytes = mine.allocated};
  mine.context = context;
  mine.allocated = 0;
  return outer;
}

bool end_allocations(Thread& thread, const KernelAllocations& outer, uint64_t* bytes) {
  auto& mine = thread.of<TensorflowThread>();
  *bytes = mine.allocated;
  mine.context = outer.outer_context;
  mine.allocated = outer.outer_bytes;
  return real_allocate != nullptr;
}

}  // namespace xsp::guest
