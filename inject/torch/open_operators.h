#pragma once

#include "inject/record/span.h"
#include "inject/torch/allocations.h"
#include "inject/torch/record_function_abi.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {

constexpr auto kKindRoot = static_cast<uint8_t>(wire::Kind::kTorchRoot);

/// RecordFunctions that have begun and not ended lie on their thread's stack of open spans; a span's mark has the
/// address of its RecordFunction as `root`. A RecordFunction that ends out of order ends its own span and no other. One
/// that is not found began outside the recording window, on a full stack, or inside a module call that has ended since.

/// Forgets an innermost span with the same RecordFunction, which has ended unseen: a new RecordFunction lies at its
/// address, or libtorch calls a second callback for it, as for scopes that are not known here. To be called before the
/// new one opens.
inline void forget_unended(Thread& thread, const torch_abi::RecordFunction* function) {
  drop_closed_slots(thread);
  const uint32_t depth = thread.depth();
  if (__builtin_expect(depth != 0 && thread.root_of(depth - 1) == function, 0)) abandon_spans(thread, depth - 1);
}

/// Opens a span for the RecordFunction. Returns its slot, or kNoSlot.
inline uint32_t open_operator(Thread& thread, uint8_t level, uint8_t kind, uint32_t name, uint32_t input,
                              const torch_abi::RecordFunction* function) {
  const uint32_t slot = open_span(thread, level, kind, name, 0, input);
  if (__builtin_expect(slot != kNoSlot, 1)) {
    Thread::Mark& mark = thread.marks[slot];
    mark.object = nullptr;
    mark.root = function;
    mark.span = thread.ring->open[slot].id.load(std::memory_order_relaxed);
    mark.forward = 0;
    note_allocations(thread, slot);
  }
  return slot;
}

/// The RecordFunction's slot on the thread's stack; kNoSlot if it is not there.
uint32_t slot_of_operator(const Thread& thread, const torch_abi::RecordFunction* function);

/// Records the span in `slot`, which need not be the innermost.
void close_operator(Thread& thread, uint32_t slot, uint64_t end, const SpanResult& result);

/// A user scope begins or ends. It may end on another thread; an asynchronous one does not lie on the stack, as what
/// its thread does next is not inside it.
void open_annotation(Thread& thread, uint32_t name, const torch_abi::RecordFunction* function, bool is_async);
void close_annotation(Thread& thread, const torch_abi::RecordFunction* function, uint64_t end);

}  // namespace xsp::guest
