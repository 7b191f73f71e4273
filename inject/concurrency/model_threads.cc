#include "inject/concurrency/model_threads.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "inject/concurrency/told_counts.h"

namespace xsp::guest {

constinit ModelThreads model_threads{};

namespace {

using Ended = wire::ThreadCountsEnded;

/// Calls of other threads, without one of the owner in between, after which one of them may take its place.
constexpr uint32_t kCallsBeforeHandover = 16;

/// How many processors the scheduler allows this process; 0: not known.
uint32_t allowed_processors() {
  unsigned long mask[128];
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  uint32_t count = 0;
  for (long i = 0; i < bytes / static_cast<long>(sizeof *mask); ++i) {
    count += static_cast<uint32_t>(__builtin_popcountl(mask[i]));
  }
  return count;
}

/// Undoes what was set. What the program has set meanwhile stays.
void unset(ConcurrencyThread& mine) {
  if (mine.set == 0) return;
  const bool is_ours = threads_now() == mine.set;
  if (is_ours) {
    model_threads.functions.omp_set_num_threads(static_cast<int>(mine.own));
  } else {
    leave_to_program();
    mine.own = threads_now();
  }
  if (model_threads.functions.mkl_set_local != nullptr) {
    const int set = model_threads.functions.mkl_set_local(mine.mkl_before);
    if (set != static_cast<int>(mine.set)) model_threads.functions.mkl_set_local(set);
  }
  mine.set = 0;
  model_threads.set_by = nullptr;
}

}  // namespace

void prepare_model_threads() {
  if (model_threads.is_prepared.load(std::memory_order_acquire)) return;
  const uint32_t allowed = allowed_processors();
  const uint32_t cores = model_threads.settings.cores;
  model_threads.cores = cores == 0 || (allowed != 0 && allowed < cores) ? allowed : cores;
  model_threads.has_functions = find_thread_functions(&model_threads.functions);
  if (model_threads.is_prepared.exchange(true, std::memory_order_release)) return;
  tell_cores(model_threads.cores);
  const ConcurrencyMode mode = model_threads.settings.mode;
  const bool advises = model_threads.policy.whole() != 0 || model_threads.policy.has_types();
  const bool sets = mode == ConcurrencyMode::kMeasure || (mode == ConcurrencyMode::kApply && advises);
  if (!sets || model_threads.is_child) return;
  if (!model_threads.has_functions) return tell_ended(Ended::kNoFunction);
  if (model_threads.cores <= 1) return tell_ended(Ended::kOneCore);
  model_threads.may_set.store(true, std::memory_order_release);
}

bool take_ownership(const Thread& thread) {
  const auto me = reinterpret_cast<uintptr_t>(&thread);
  uintptr_t owner = model_threads.owner.load(std::memory_order_relaxed);
  if ((owner & 1) != 0) return false;
  const bool is_mine = owner == me;
  if (owner != 0 && !is_mine &&
      model_threads.calls_of_others.fetch_add(1, std::memory_order_relaxed) < kCallsBeforeHandover) {
    return false;
  }
  if (!model_threads.owner.compare_exchange_strong(owner, me | 1, std::memory_order_acquire)) return false;
  model_threads.calls_of_others.store(0, std::memory_order_relaxed);
  return true;
}

void leave_call(const Thread& thread) {
  auto open = reinterpret_cast<uintptr_t>(&thread) | 1;
  model_threads.owner.compare_exchange_strong(open, open - 1, std::memory_order_release);
}

void leave_to_program() {
  if (model_threads.may_set.exchange(false, std::memory_order_relaxed)) tell_ended(Ended::kSetByProgram);
}

void set_threads(Thread& thread, uint32_t threads) {
  auto& mine = thread.of<ConcurrencyThread>();
  if (threads == mine.set) return;
  if (threads == 0 || (mine.set != 0 && threads_now() != mine.set)) return unset(mine);
  model_threads.functions.omp_set_num_threads(static_cast<int>(threads));
  if (model_threads.functions.mkl_set_local != nullptr) {
    const int before = model_threads.functions.mkl_set_local(static_cast<int>(threads));
    if (mine.set == 0) mine.mkl_before = before;
  }
  mine.set = threads;
  model_threads.has_set = true;
  model_threads.own = mine.own;
  model_threads.mkl_before = mine.mkl_before;
  model_threads.set_by = &thread;
}

void put_back_threads(uint32_t own, int32_t mkl_before) {
  model_threads.functions.omp_set_num_threads(static_cast<int>(own));
  if (model_threads.functions.mkl_set_local != nullptr) model_threads.functions.mkl_set_local(mkl_before);
}

}  // namespace xsp::guest
