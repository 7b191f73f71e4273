#pragma once

#include <atomic>
#include <cstdint>

#include "inject/concurrency/root_threads.h"
#include "inject/concurrency/thread_functions.h"
#include "inject/concurrency/thread_policy.h"
#include "inject/concurrency/thread_settings.h"
#include "inject/guard/concurrency_settings.h"

namespace xsp::guest {

/// What thread_settings.cc keeps of the process, and how it sets a thread's number.

/// Ordinary memory: a forked child knows by it what the thread that forked had set.
struct ModelThreads {
  ConcurrencySettings settings;
  ThreadPolicy policy;
  int pid;
  bool is_child;
  std::atomic<bool> is_prepared;  // functions are looked for, and cores counted
  std::atomic<bool> may_set;
  bool has_functions;
  ThreadFunctions functions;
  uint32_t cores;
  double ticks_per_ns;
  std::atomic<uintptr_t> owner;  // a Thread, + 1 while its call is open
  std::atomic<uint32_t> calls_of_others;
  bool has_set;  // another number than the program's, once
  bool are_switches_told;
  bool is_end_told;
  std::atomic<uint32_t> told_own;
  RootTable roots;
  // What the owner has set now, for a child that it forks.
  const Thread* set_by;
  uint32_t own;
  int32_t mkl_before;
};
extern constinit ModelThreads model_threads;

/// At the first outermost call: PyTorch is loaded.
void prepare_model_threads();

/// Whether the thread may have another number for a call that begins; leave_call() is to follow.
bool take_ownership(const Thread& thread);
void leave_call(const Thread& thread);

/// The program sets its threads itself: it has the last word from now on.
void leave_to_program();

/// Sets the thread's number; 0: the program's. What the program has set meanwhile stays.
void set_threads(Thread& thread, uint32_t threads);
void put_back_threads(uint32_t own, int32_t mkl_before);

inline uint32_t threads_now() { return static_cast<uint32_t>(model_threads.functions.omp_get_max_threads()); }

}  // namespace xsp::guest
