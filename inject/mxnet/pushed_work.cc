#include "inject/mxnet/pushed_work.h"

#include <sys/mman.h>

#include <atomic>

#include "inject/mxnet/any_call.h"
#include "inject/mxnet/operator_spans.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

struct Work {
  StdFunction original;
  std::atomic<uint32_t> owners;
  std::atomic<uint32_t> next_free;    // the one behind it in the list + 1
  std::atomic<uint64_t> repetitions;  // of kept work: the calls it was pushed in, a byte each, the next one lowest
  PushedOperator pushed;
  MxnetCall call;  // held until it has run; 0 for kept work
  bool is_kept;
};

/// Reserved once, and never given back: a function of MXNet's may live as long as the process. Pages are used as they
/// are needed.
constexpr uint32_t kMostWork = 1 << 17;

class WorkPool {
 public:
  Work* take() {
    Work* all = works();
    if (all == nullptr) return nullptr;
    uint64_t head = free_.load(std::memory_order_acquire);
    while ((head & kIndex) != 0) {
      Work& work = all[(head & kIndex) - 1];
      const uint64_t next = (head & ~kIndex) + kTag + work.next_free.load(std::memory_order_relaxed);
      if (free_.compare_exchange_weak(head, next, std::memory_order_acq_rel)) return &work;
    }
    const uint32_t fresh = used_.load(std::memory_order_relaxed) < kMostWork ? used_.fetch_add(1) : kMostWork;
    return fresh < kMostWork ? &all[fresh] : nullptr;
  }

  void give_back(Work& work) {
    const auto index = static_cast<uint64_t>(&work - works_.load(std::memory_order_relaxed)) + 1;
    uint64_t head = free_.load(std::memory_order_relaxed);
    uint64_t next = 0;
    do {
      work.next_free.store(static_cast<uint32_t>(head & kIndex), std::memory_order_relaxed);
      next = (head & ~kIndex) + kTag + index;
    } while (!free_.compare_exchange_weak(head, next, std::memory_order_acq_rel));
  }

 private:
  // The list's head: a number that changes with each use, and the first one's index + 1.
  static constexpr uint64_t kTag = uint64_t{1} << 32;
  static constexpr uint64_t kIndex = kTag - 1;

  Work* works() {
    Work* known = works_.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    constexpr size_t kBytes = kMostWork * sizeof(Work);
    void* fresh = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fresh == MAP_FAILED) return nullptr;
    if (works_.compare_exchange_strong(known, static_cast<Work*>(fresh))) return static_cast<Work*>(fresh);
    munmap(fresh, kBytes);
    return known;
  }

  std::atomic<Work*> works_;
  std::atomic<uint64_t> free_;
  std::atomic<uint32_t> used_;
};
constinit WorkPool pool{};

void drop(Work& work) {
  if (work.owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  work.original.destroy();
  // Work that was thrown away without having run.
  if (work.call != 0) release_mxnet_call(work.call, now());
  pool.give_back(work);
}

Work& work_of(const StdFunction& function) { return *static_cast<Work*>(function.callable[0]); }

bool manage(StdFunction* to, const StdFunction* from, StdFunction::Operation operation) {
  switch (operation) {
    case StdFunction::Operation::kTypeInfo:
      to->callable[0] = nullptr;
      break;
    case StdFunction::Operation::kAddress:
      to->callable[0] = const_cast<StdFunction*>(from);
      break;
    case StdFunction::Operation::kClone:
      to->callable[0] = from->callable[0];
      work_of(*to).owners.fetch_add(1, std::memory_order_relaxed);
      break;
    case StdFunction::Operation::kDestroy:
      drop(work_of(*to));
      break;
  }
  return false;
}

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
  Work* work;
  OperatorSpan* span;
  MxnetCall call;
  MxnetCall outer;
};

void work_ended(void* of) {
  const auto& run = *static_cast<Run*>(of);
  uint64_t end = run.span->close(run.work->pushed.shape);
  if (Thread* thread = known_thread()) thread->of<MxnetThread>().running = run.outer;
  // MXNet tells that an operator is done before its function returns: what wakes up by it does so earlier than this.
  if (end == 0 && !run.work->is_kept) end = now();
  if (run.call != 0) release_mxnet_call(run.call, end);
  drop(*run.work);
}

void* run_work(void* function, void* b, void* c, void* d, void* e, void* f, xsp_stack_words stack) {
  Work& work = work_of(*static_cast<StdFunction*>(function));
  // The engine may destroy the function while it runs.
  work.owners.fetch_add(1, std::memory_order_relaxed);
  OperatorSpan span;
  Run run{.work = &work, .span = &span, .call = 0, .outer = 0};
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
  const xsp_any_words words{&work.original, b, c, d, e, f};
  return xsp_call_any(reinterpret_cast<xsp_any_function>(work.original.invoker), &words, stack, work_ended, &run);
}

constexpr StdFunction kNone{};

StdFunction wrap(StdFunction& original, MxnetCall call, const PushedOperator& pushed, bool is_kept) {
  Work* work = pool.take();
  if (work == nullptr) {
    static constinit std::atomic<bool> told{false};
    if (!told.exchange(true)) notify(1, "mxnet", "more than 131,072 operators wait: those beyond are not recorded");
    return kNone;
  }
  work->original = original.take();
  work->owners.store(1, std::memory_order_relaxed);
  work->repetitions.store(0, std::memory_order_relaxed);
  work->pushed = pushed;
  work->call = call;
  work->is_kept = is_kept;
  return {.callable = {work, nullptr}, .manager = manage, .invoker = reinterpret_cast<void*>(run_work)};
}

}  // namespace

StdFunction wrap_work(StdFunction& original, MxnetCall call, const PushedOperator& pushed) {
  return wrap(original, call, pushed, false);
}

StdFunction wrap_kept_work(StdFunction& original) { return wrap(original, 0, {}, true); }

bool is_kept_work(const StdFunction& function) {
  return function.manager == manage && function.invoker == reinterpret_cast<void*>(run_work);
}

void push_again(const StdFunction& function, MxnetCall call) {
  Work& work = work_of(function);
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
