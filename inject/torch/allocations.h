#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/record/span.h"
#include "inject/torch/torch_thread.h"

namespace xsp::guest {

/// What PyTorch's allocators give out: c10's CPU allocator, and those of devices, which report to c10. It is counted
/// for the thread that asks (TorchThread::allocated_bytes, frees not subtracted) and as totals of the process, CPU and
/// devices. inject/torch/c10_functions.cc intercepts the calls.
///
/// c10's own counting (memoryProfilingEnabled) stays as the program has it. If we switched it on, a profiler of the
/// program's would hear of blocks from before its start, and c10 would warn about blocks from before ours.
///
/// A forked child begins with what its parent had live.

/// Device memory as c10::Device names it.
inline constexpr int8_t kCpuDevice = 0;
inline constexpr uint64_t kUnknownReserved = UINT64_MAX;

/// Whether allocations are counted in this process: when a recording wants it. Decided once, at the first call.
bool counts_allocations();

/// A block of the CPU allocator was made, or is about to be freed. Null is ignored.
void count_allocation(const void* block, uint64_t bytes);
void count_free(const void* block);

/// An allocator of a device reports a block: its bytes, negative when it was freed, and what the allocator has reserved
/// of the device from then on.
void count_device_change(int64_t bytes, uint64_t reserved, int8_t index);

/// True from the first allocation on. Before that nothing is known: there is no PyTorch, or its calls do not reach the
/// guest.
extern std::atomic<bool> allocations_heard;

/// To be called when a span that tell_allocations() will be asked about has begun in `slot`.
inline void note_allocations(Thread& thread, uint32_t slot) {
  thread.marks[slot].allocated_before = thread.of<TorchThread>().allocated_bytes;
}

/// Sets what the span in `slot` has allocated so far, if that is known.
inline void tell_allocations(const Thread& thread, uint32_t slot, SpanResult* result) {
  result->has_bytes = allocations_heard.load(std::memory_order_relaxed);
  result->bytes =
      result->has_bytes ? thread.of<TorchThread>().allocated_bytes - thread.marks[slot].allocated_before : 0;
}

/// Model calls whose peaks are kept at the same time. Further calls have none.
inline constexpr uint32_t kMaxWatchedCalls = 8;

/// A model call of the thread begins; ends with the span in `slot`; or has ended unseen. At its end, what is live and
/// what was live at its peak become arguments of the span, so this must be called before the span is closed.
void begin_memory_of_call(Thread& thread);
void end_memory_of_call(Thread& thread, uint32_t slot);
void drop_memory_of_call(Thread& thread);

}  // namespace xsp::guest
