#include "inject/python/open_modules.h"

#include "inject/concurrency/thread_settings.h"
#include "inject/library/abandoned_calls.h"
#include "inject/ranges/range_stack.h"
#include "inject/record/sampling.h"
#include "inject/streams/stream_events.h"
#include "inject/torch/allocations.h"

namespace xsp::guest {

void tell_memory(Thread& thread, uint32_t slot, SpanResult* result) {
  tell_allocations(thread, slot, result);
  if (thread.ring->open[slot].kind == kKindRoot) end_memory_of_call(thread, slot);
}

void close_root(Thread& thread, uint32_t slot, uint64_t end, const SpanResult& result) {
  if (end_model_call(thread, slot)) {
    close_span(thread, slot, end, kKindRoot, result);
  } else {
    abandon_spans(thread, slot);
  }
}

void forget_call(Thread& thread, uint32_t slot) {
  close_ranges_above(thread, slot, now());
  if (thread.ring->open[slot].kind == kKindRoot) {
    drop_memory_of_call(thread);
    drop_stream_interval(thread.of<PythonThread>().stream_interval);
    thread.of<PythonThread>().stream_interval = 0;
    end_model_call(thread, slot);
  }
  const uint32_t id = thread.ring->open[slot].id.load(std::memory_order_relaxed);
  abandon_spans(thread, slot);
  if (are_threads_told) restore_unwound_threads(thread);
  // A module that only passes on what this one returned has evaluated nothing either: this was the first span inside.
  Thread::Mark* outer = innermost_module(thread);
  if (outer == nullptr) return;
  const auto& around = thread.ring->open[outer - thread.marks];
  if (id == around.id.load(std::memory_order_relaxed) + 1) outer->has_inner = false;
}

void close_unwound_calls(Thread& thread, const char* frame, bool same_frame_too) {
  close_abandoned_calls(thread, frame);
  for (uint32_t slot; (slot = slot_below_ranges(thread)) != kNoSlot;) {
    const Thread::Mark& mark = thread.marks[slot];
    if (thread.object_of(slot) == nullptr) return;
    const intptr_t above = static_cast<const char*>(mark.stack_address) - frame;
    if (above > kSameFrame || (!same_frame_too && above >= -kSameFrame)) return;
    const uint8_t opened_as = thread.ring->open[slot].kind;
    SpanResult result;
    result.failed = true;
    close_ranges_above(thread, slot, now());
    tell_memory(thread, slot, &result);
    if (opened_as == kKindRoot) {
      close_root(thread, slot, now(), result);
    } else {
      close_span(thread, slot, now(), ended_kind(opened_as, mark), result);
    }
    if (are_threads_told) restore_unwound_threads(thread);
  }
}

}  // namespace xsp::guest
