#pragma once

#include <cstddef>

namespace xsp::guest {

struct LookedUp;
struct Process;
struct Thread;

/// The only calls from a floor of the guest to one above it: what has to be done there at moments that only the floors
/// below see. inject/lifecycle/lifecycle.cc defines the one table. It is constant, so that it is there before any
/// constructor runs and in every forked child; nothing installs it. No entry is null. None is called on the path of a
/// span, or of a call that has been recorded before.
struct UpwardCalls {
  /// Starts recording in this process, or forked child, which has not been woken yet. Called by wake_process() with
  /// Process::lock held. False: nothing will ever be recorded in it.
  bool (*start)(Process& process);

  /// A thread that has recorded ends. Called on that thread, while its ring is still its own.
  void (*thread_ends)(Thread& thread);

  /// How many threads of the guest's own run apart from the sender. Called by the sender.
  int (*own_threads)();

  /// The first call of a function of the CUDA runtime has returned, on the thread that made it.
  void (*runtime_call_returned)(bool failed);

  /// The program has looked up the function named `observed_name`, and gets `real`. A wrapper of the function does the
  /// same when it is called (xsp_observe_NAME of inject/library/generate.py).
  const char* observed_name;
  void (*observe)(void* real);

  /// Functions without wrappers that programs look up; see inject/interpose/looked_up.h.
  const LookedUp* looked_up;
  size_t looked_up_count;
};
extern const UpwardCalls upward_calls;

}  // namespace xsp::guest
