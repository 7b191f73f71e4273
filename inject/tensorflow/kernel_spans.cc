#include "inject/tensorflow/kernel_spans.h"

#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/span.h"
#include "inject/tensorflow/allocated_bytes.h"
#include "inject/tensorflow/kernel_names.h"
#include "inject/tensorflow/open_calls.h"
#include "inject/tensorflow/output_shapes.h"
#include "inject/tensorflow/xla_calls.h"

namespace xsp::guest {
namespace {

constexpr auto kKindOperator = static_cast<uint8_t>(wire::Kind::kOperator);
/// Of a kernel whose operations are the layers.
constexpr auto kKindAround = static_cast<uint8_t>(wire::Kind::kAnnotation);

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

/// Opens the kernel's span. kNoSlot: it gets none. `xla_call`: see begin_xla_call().
uint32_t open_kernel(Thread& thread, const void* kernel, const void* context, uint32_t scope, const void* frame,
                     uint32_t* xla_call) {
  const HookTimer timer(&thread);
  forget_left_kernels(thread, frame);
  KernelName name;
  if (!read_kernel_name(kernel, context, &name) || is_bookkeeping(name.type)) return kNoSlot;
  if (__builtin_expect(may_be_compiled(name.type), 0)) *xla_call = begin_xla_call(thread, scope, name.type);
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

/// A kernel that gives a call's input to its graph, "_arg_image_0_2": the last number is the input's.
void tell_argument(const void* kernel, const void* context, uint32_t scope) {
  KernelName name;
  Shapes shapes;
  if (!read_kernel_name(kernel, context, &name) || name.type != "_Arg") return;
  const size_t digits = name.name.find_last_not_of("0123456789") + 1;
  uint32_t number = 0;
  for (const char digit : std::string_view(name.name.data() + digits, name.name.size() - digits)) {
    number = number * 10 + static_cast<uint32_t>(digit - '0');
  }
  if (digits != name.name.size() && read_output_shapes(context, &shapes)) tell_input(scope, number, shapes);
}

}  // namespace

uint32_t scope_of_kernel(Thread& thread, const void* device, const void* kernel, const void* context) {
  const int64_t step = step_of(context, kernel, device);
  if (step == kUnknownStep) return scope_of_only_call();
  const uint32_t scope = scope_of_step(step);
  return scope != 0 ? scope : scope_without_step(thread);
}

void run_kernel(Compute real, void* device, void* kernel, void* context) {
  // A thread of the pool has not recorded before its first kernel. Only what happens in a model call may wake the
  // guest.
  Thread* thread = awake_process() != nullptr ? recording_thread() : nullptr;
  if (thread == nullptr) return real(device, kernel, context);
  const uint32_t scope = scope_of_kernel(*thread, device, kernel, context);
  uint32_t xla_call = 0;
  const uint32_t slot = open_kernel(*thread, kernel, context, scope, __builtin_frame_address(0), &xla_call);
  if (slot == kNoSlot) {
    real(device, kernel, context);
    end_xla_call(xla_call, now());
    if (scope != 0 && wants_inputs(scope)) tell_argument(kernel, context, scope);
    return;
  }
  const KernelAllocations outer = begin_allocations(*thread, context);
  real(device, kernel, context);
  const uint64_t end = now();
  const bool has_operations = xla_call != 0 && end_xla_call(xla_call, end) != 0;
  thread = ending_thread();
  if (thread == nullptr || thread->depth() <= slot) return;
  // They are the layers.
  if (has_operations) thread->ring->open[slot].level = kLevelApplication;
  const HookTimer timer(thread, end);
  SpanResult result;
  result.scope = has_operations ? 0 : scope;
  result.shape = output_shapes_of(context);
  result.has_bytes = end_allocations(*thread, outer, &result.bytes);
  close_span(*thread, slot, end, has_operations ? kKindAround : 0, result);
}

}  // namespace xsp::guest
