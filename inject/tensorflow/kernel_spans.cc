#include "inject/tensorflow/kernel_spans.h"

#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/span.h"
#include "inject/tensorflow/kernel_names.h"
#include "inject/tensorflow/open_calls.h"
#include "inject/tensorflow/output_shapes.h"

namespace xsp::guest {
namespace {

constexpr auto kKindOperator = static_cast<uint8_t>(wire::Kind::kOperator);

/// The call that the kernel belongs to; 0: none, as for kernels that an eager operation or an input pipeline runs.
uint32_t scope_of_kernel(const void* device, const void* kernel, const void* context) {
  const int64_t step = step_of(context, kernel, device);
  return step == kUnknownStep ? scope_of_only_call() : scope_of_step(step);
}

/// Opens the kernel's span. kNoSlot: it gets none.
uint32_t open_kernel(Thread& thread, const void* kernel, const void* context, uint32_t scope) {
  const HookTimer timer(&thread);
  KernelName name;
  if (!read_kernel_name(kernel, context, &name) || is_bookkeeping(name.type)) return kNoSlot;
  const uint8_t level = scope != 0 ? kLevelLayer : kLevelApplication;
  return open_span(thread, level, kKindOperator, intern(name.name), intern(name.type), 0);
}

}  // namespace

void run_kernel(Compute real, void* device, void* kernel, void* context) {
  // A thread of the pool has not recorded before its first kernel. Only what happens in a model call may wake the
  // guest.
  Thread* thread = awake_process() != nullptr ? recording_thread() : nullptr;
  if (thread == nullptr) return real(device, kernel, context);
  const uint32_t scope = scope_of_kernel(device, kernel, context);
  const uint32_t slot = open_kernel(*thread, kernel, context, scope);
  real(device, kernel, context);
  if (slot == kNoSlot) return;
  const uint64_t end = now();
  thread = ending_thread();
  if (thread == nullptr || thread->depth() <= slot) return;
  const HookTimer timer(thread, end);
  SpanResult result;
  result.scope = scope;
  result.shape = output_shapes_of(context);
  close_span(*thread, slot, end, 0, result);
}

}  // namespace xsp::guest
