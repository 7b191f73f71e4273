#include "inject/mxnet/pushed_work.h"

#include <atomic>

#include "inject/hooks/any_call.h"
#include "inject/hooks/function_pool.h"
#include "inject/mxnet/operator_spans.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

/// The calls that kept work was pushed in and has not run for: it runs in the order in which it was pushed. Of one
/// thread that pushes and one that runs, as MXNet asks for of an executor.
class Repetitions {
 public:
  void clear() {
    first_.store(0, std::memory_order_relaxed);
    behind_.store(0, std::memory_order_relaxed);
    unknown_.store(0, std::memory_order_relaxed);
  }

  /// False if the call is not remembered.
  bool push(MxnetCall call) {
    const uint32_t at = behind_.load(std::memory_order_relaxed);
    const bool is_full = at - first_.load(std::memory_order_acquire) == kMost;
    if (is_full || unknown_.load(std::memory_order_acquire) != 0) {
      unknown_.fetch_add(1, std::memory_order_release);
      return false;
    }
    calls_[at % kMost] = call;
    behind_.store(at + 1, std::memory_order_release);
    return true;
  }

  /// 0: it was pushed in no call, or it is not known in which.
  MxnetCall pop() {
    const uint32_t at = first_.load(std::memory_order_relaxed);
    if (at != behind_.load(std::memory_order_acquire)) {
      const MxnetCall call = calls_[at % kMost];
      first_.store(at + 1, std::memory_order_release);
      return call;
    }
    if (unknown_.load(std::memory_order_acquire) != 0) unknown_.fetch_sub(1, std::memory_order_release);
    return 0;
  }

 private:
  static constexpr uint32_t kMost = 64;

  std::atomic<uint32_t> first_;
  std::atomic<uint32_t> behind_;
  std::atomic<uint32_t> unknown_;  // pushed behind those
  MxnetCall calls_[kMost];
};

struct Work {
  PushedOperator pushed;
  MxnetCall call;  // held until it has run; 0 for kept work
  bool is_kept;
  Repetitions repetitions;  // of kept work

  /// Work that was thrown away without having run still holds its call.
  void dropped() const {
    if (call != 0) release_mxnet_call(call, now());
  }
};
using WorkPool = FunctionPool<Work>;

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
  uint64_t end = run.span->close(work.pushed.shape, work.pushed.bytes);
  if (Thread* thread = known_thread()) thread->of<MxnetThread>().running = run.outer;
  if (end == 0) end = now();
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
    run.call = work.repetitions.pop();
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
  work.repetitions.clear();
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
  if (!WorkPool::wrapped_in(function).kept.repetitions.push(call)) release_mxnet_call(call, 0);
}

}  // namespace xsp::guest
