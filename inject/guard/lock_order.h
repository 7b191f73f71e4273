#pragma once

#include <cstdint>

namespace xsp::guest {

/// Every lock of the guest that is waited for, in the order in which a thread may take them: while it holds one, those
/// of a later line. A lock names its place in its type (SpinLock<LockOrder::kWindow>); one of a kind is held at a time.
///
/// | lock | protects | taken while held |
/// |---|---|---|
/// | kOperatorCallbacks | which of PyTorch's callbacks are enabled | none of ours; PyTorch's own, of its callbacks |
/// | kWindow | when the recording window opens and closes, and who holds it open | kPauses, kProcess |
/// | kSampling | which model calls are recorded, and those that are open | kPauses, kProcess |
/// | kPauses | why hooks are paused, and the switches that say so | - |
/// | kThreadCounts | the numbers of threads that are to be told | kProcess |
/// | kProcess | strings, the taking of rings, the outbox; the start of the process | - |
/// | kCallCosts | the latest differences between calls | - |
/// | kProfilerName | the name of another profiler in the program | - |
/// | kGraphNames | names of the kernels of CUDA graphs that are counted | - |
/// | kXlaCalls | functions compiled by XLA that run, and their operations that are not done | - |
///
/// Window listeners (record/recording_window.h) are called after the lock of the window, or of the sampling, was
/// released: they call CUPTI and PyTorch, which have locks of their own and come back to us in callbacks.
///
/// kProcess is held for long in one place only: wake_process() holds it through mmap, connect and the greeting. A
/// second thread that gets to its first hook meanwhile thus finds a process that is ready, or one that is off, and
/// loses no span in between. Nothing in there waits for another thread: the socket does not block, and the sender's
/// thread, which is started under the lock, waits for the lock in its first round and not the other way round.
///
/// Locks that are not in the list are never waited for without limit: SessionChange (cupti/state/session.h) gives up
/// after a while, because its holder may be inside CUPTI, which may wait for us; it is taken before all of these.
/// ProcessLock (library/capture/process_lock.h), the cache of siblings (library/call.cc) and the patching of ONNX
/// Runtime's tables (onnxruntime/api_tables.cc) are tried.
enum class LockOrder : uint8_t {
  kOperatorCallbacks,
  kWindow,
  kSampling,
  kPauses,
  kThreadCounts,
  kProcess,
  kCallCosts,
  kProfilerName,
  kGraphNames,
  kXlaCalls,
};

}  // namespace xsp::guest
