#include "inject/mxnet/pushed_work.h"

#include <atomic>

#include "inject/hooks/any_call.h"
#include "inject/hooks/function_pool.h"
#include "inject/mxnet/operator_spans.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

struct Work {
  std::atomic<uint64_t> repetitions;  // of kept work: the calls it was pushed in, a byte each, the next one lowest
  PushedOperator pushed;
  MxnetCall call;  // held until it has run; 0 for kept work
  bool is_kept;

  /// Work that was thrown away without having run still holds its call.
  void dropped() const {
    if (call != 0) release_mxnet_call(call, now());
  }
};
using WorkPool = FunctionPool<Work>;

/// Stands for a repetition that was pushed in no call.
constexpr uint64_t kNobody = 0xff;

MxnetCall next_repetition(Work& work) {
  uint64_t queue = work.repetitions.load(std::memory_order_acquire);
  while (queue != 0 && !work.repetitions.compare_exchange_weak(queue, queue >> 8, std::memory_order_acq_rel)) {
  }
  const uint64_t first = queue & 0xff;
  return first == kNobody ? 0 : static_cast<MxnetCall>(first);
}

/// Work while it runs.
struct Run {
  WorkPool::Wrapped* wrapped;
  OperatorSpan* span;
  MxnetCall call;
  MxnetCall outer;
};

void work_ended(void* of) {
  const auto& run = *static_cast<Run*>(of);
  const Work& work = run.wrapped->kept;
  uint64_t end = run.span->close(work.pushed.shape);
  if (Thread* thread = known_thread()) thread->of<MxnetThread>().running = run.outer;
  // MXNet tells that an operator is done before its function returns: what wakes up by it does so earlier than this.
  if (end == 0 && !work.is_kept) end = now();
  if (run.call != 0) release_mxnet_call(run.call, end);
  WorkPool::drop(*run.wrapped);
}

void* run_work(void* function, void* b, void* c, void* d, void* e, void* f, xsp_stack_words stack) {
  WorkPool::Wrapped& wrapped = WorkPool::wrapped_in(*static_cast<StdFunction*>(function));
  Work& work = wrapped.kept;
  // The engine may destroy the function while it runs.
  WorkPool::hold(wrapped);
  OperatorSpan span;
  Run run{.wrapped = &wrapped, .span = &span, .call = 0, .outer = 0};
  if (work.is_kept) {
    run.call = next_repetition(work);
  } else {
    run.call = work.call;
    work.call = 0;
  }
  if (Thread* thread = mxnet_thread()) {
    auto& mine = thread->of<MxnetThread>();
    run.outer = mine.running;
    mine.running = run.call;
    span.open(run.call, work.pushed.name, work.pushed.type);
  }
  const xsp_any_words words{&wrapped.original, b, c, d, e, f};
  return xsp_call_any(reinterpret_cast<xsp_any_function>(wrapped.original.invoker), &words, stack, work_ended, &run);
}

StdFunction wrap(StdFunction& original, MxnetCall call, const PushedOperator& pushed, bool is_kept) {
  WorkPool::Wrapped* wrapped = WorkPool::wrap(original);
  if (wrapped == nullptr) {
    static constinit std::atomic<bool> told{false};
    if (!told.exchange(true)) notify(1, "mxnet", "more than 131,072 operators wait: those beyond are not recorded");
    return {};
  }
  Work& work = wrapped->kept;
  work.repetitions.store(0, std::memory_order_relaxed);
  work.pushed = pushed;
  work.call = call;
  work.is_kept = is_kept;
  return WorkPool::function_of(*wrapped, reinterpret_cast<void*>(run_work));
}

}  // namespace

StdFunction wrap_work(StdFunction& original, MxnetCall call, const PushedOperator& pushed) {
  return wrap(original, call, pushed, false);
}

StdFunction wrap_kept_work(StdFunction& original) { return wrap(original, 0, {}, true); }

bool is_kept_work(const StdFunction& function) {
  return WorkPool::has(function) && function.invoker == reinterpret_cast<void*>(run_work);
}

void push_again(const StdFunction& function, MxnetCall call) {
  Work& work = WorkPool::wrapped_in(function).kept;
  constexpr uint64_t kFull = uint64_t{0xff} << 56;
  uint64_t queue = work.repetitions.load(std::memory_order_relaxed);
  uint64_t longer = 0;
  do {
    if ((queue & kFull) != 0) {
      release_mxnet_call(call, 0);
      return;
    }
    const int used = queue == 0 ? 0 : (63 - __builtin_clzll(queue)) / 8 + 1;
    longer = queue | (call == 0 ? kNobody : uint64_t{call}) << (8 * used);
  } while (!work.repetitions.compare_exchange_weak(queue, longer, std::memory_order_acq_rel));
}

}  // namespace xsp::guest
