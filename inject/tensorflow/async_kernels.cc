#include "inject/tensorflow/async_kernels.h"

#include <algorithm>
#include <iterator>

#include "inject/guard/errno_guard.h"
#include "inject/hooks/function_pool.h"
#include "inject/record/hook_timer.h"
#include "inject/record/process.h"
#include "inject/record/span.h"
#include "inject/tensorflow/kernel_names.h"
#include "inject/tensorflow/kernel_spans.h"
#include "inject/tensorflow/open_calls.h"
#include "inject/tensorflow/output_shapes.h"

namespace xsp::guest {
namespace {

constexpr auto kKernelKind = static_cast<uint8_t>(wire::Kind::kOperator);

/// A kernel that is not done; name 0: its end was told.
struct AsyncKernel {
  const void* context;
  uint64_t begin;
  uint32_t name;
  uint32_t type;
  uint32_t scope;

  void dropped() const {}
};
using Pool = FunctionPool<AsyncKernel>;

/// What calls functions, whose kernels are recorded themselves.
bool runs_kernels(std::string_view type) {
  constexpr std::string_view kTypes[] = {"PartitionedCall", "StatefulPartitionedCall", "If",       "StatelessIf",
                                         "While",           "StatelessWhile",          "Case",     "StatelessCase",
                                         "RemoteCall",      "SymbolicGradient",        "MapDefun", "XlaLaunch"};
  return type.starts_with("__") || std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

void record(AsyncKernel* kernel) {
  const uint64_t end = now();
  Thread* thread = ending_thread();
  if (thread == nullptr || !is_window_open()) return;
  const ErrnoGuard errno_guard;
  const HookTimer timer(thread, end);
  shm::Record span{};
  span.begin = kernel->begin;
  span.end = end;
  span.name = kernel->name;
  span.type = kernel->type;
  span.shape = output_shapes_of(kernel->context);
  span.scope = kernel->scope;
  span.level = kernel->scope != 0 ? kLevelLayer : kLevelApplication;
  span.kind = kKernelKind;
  record_span(*thread, span);
}

/// Called in place of the program's function, before it: the kernel's context lives until then.
void tell_done(StdFunction* function) {
  Pool::Wrapped& wrapped = Pool::wrapped_in(*function);
  // TensorFlow may destroy the function while it runs.
  Pool::hold(wrapped);
  if (wrapped.kept.name != 0) record(&wrapped.kept);
  wrapped.kept.name = 0;
  reinterpret_cast<void (*)(StdFunction*)>(wrapped.original.invoker)(&wrapped.original);
  Pool::drop(wrapped);
}

/// False where it gets no span.
bool describe(Thread& thread, const void* device, const void* kernel, const void* context, AsyncKernel* described) {
  const HookTimer timer(&thread);
  const ErrnoGuard errno_guard;
  KernelName name;
  if (!read_kernel_name(kernel, context, &name) || is_bookkeeping(name.type) || runs_kernels(name.type)) return false;
  *described = {.context = context,
                .begin = 0,
                .name = intern(name.name),
                .type = intern(name.type),
                .scope = scope_of_kernel(thread, device, kernel, context)};
  return described->name != 0;
}

}  // namespace

void run_async_kernel(ComputeAsync real, void* device, void* kernel, void* context, void* done) {
  Thread* thread = awake_process() != nullptr ? recording_thread() : nullptr;
  AsyncKernel described;
  auto* function = static_cast<StdFunction*>(done);
  if (thread == nullptr || !describe(*thread, device, kernel, context, &described)) {
    return real(device, kernel, context, done);
  }
  Pool::Wrapped* wrapped = Pool::wrap(*function);
  if (wrapped == nullptr) return real(device, kernel, context, done);
  StdFunction ours = Pool::function_of(*wrapped, reinterpret_cast<void*>(tell_done));
  wrapped->kept = described;
  wrapped->kept.begin = now();
  real(device, kernel, context, &ours);
  ours.destroy();
}

}  // namespace xsp::guest
