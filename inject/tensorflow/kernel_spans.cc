#include "inject/tensorflow/kernel_spans.h"

#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/span.h"
#include "inject/tensorflow/allocated_bytes.h"
#include "inject/tensorflow/kernel_names.h"
#include "inject/tensorflow/open_calls.h"
#include "inject/tensorflow/output_shapes.h"

namespace xsp::guest {
namespace {

constexpr auto kKindOperator = static_cast<uint8_t>(wire::Kind::kOperator);

/// As Thread::Mark::root: the span is a kernel's, and `stack_address` that of its hook.
constexpr char kKernelMark = 0;

/// Forgets kernels whose hooks are gone from the stack, by an exception or a jump: those inside other kernels lie below
/// them.
void forget_left_kernels(Thread& thread, const void* frame) {
  drop_closed_slots(thread);
  uint32_t depth = thread.depth();
  while (depth != 0 && thread.root_of(depth - 1) == &kKernelMark && thread.marks[depth - 1].stack_address <= frame) {
    --depth;
  }
  if (depth != thread.depth()) abandon_spans(thread, depth);
}

/// Opens the kernel's span. kNoSlot: it gets none.
uint32_t open_kernel(Thread& thread, const void* kernel, const void* context, uint32_t scope, const void* frame) {
  const HookTimer timer(&thread);
  forget_left_kernels(thread, frame);
  KernelName name;
  if (!read_kernel_name(kernel, context, &name) || is_bookkeeping(name.type)) return kNoSlot;
  const uint8_t level = scope != 0 && !has_layers(scope) ? kLevelLayer : kLevelApplication;
  const uint32_t slot = open_span(thread, level, kKindOperator, intern(name.name), intern(name.type), 0);
  if (__builtin_expect(slot != kNoSlot, 1)) {
    Thread::Mark& mark = thread.marks[slot];
    mark.object = nullptr;
    mark.root = &kKernelMark;
    mark.stack_address = frame;
    mark.span = thread.ring->open[slot].id.load(std::memory_order_relaxed);
  }
  return slot;
}

}  // namespace

uint32_t scope_of_kernel(const void* device, const void* kernel, const void* context) {
  const int64_t step = step_of(context, kernel, device);
  return step == kUnknownStep ? scope_of_only_call() : scope_of_step(step);
}

void run_kernel(Compute real, void* device, void* kernel, void* context) {
  // A thread of the pool has not recorded before its first kernel. Only what happens in a model call may wake the
  // guest.
  Thread* thread = awake_process() != nullptr ? recording_thread() : nullptr;
  if (thread == nullptr) return real(device, kernel, context);
  const uint32_t scope = scope_of_kernel(device, kernel, context);
  const uint32_t slot = open_kernel(*thread, kernel, context, scope, __builtin_frame_address(0));
  if (slot == kNoSlot) return real(device, kernel, context);
  const KernelAllocations outer = begin_allocations(*thread, context);
  real(device, kernel, context);
  const uint64_t end = now();
  thread = ending_thread();
  if (thread == nullptr || thread->depth() <= slot) return;
  const HookTimer timer(thread, end);
  SpanResult result;
  result.scope = scope;
  result.shape = output_shapes_of(context);
  result.has_bytes = end_allocations(*thread, outer, &result.bytes);
  close_span(*thread, slot, end, 0, result);
}

}  // namespace xsp::guest
