#include "inject/library/abandoned_calls.h"

namespace xsp::guest {

void close_abandoned_calls(Thread& thread, const void* frame) {
  drop_closed_slots(thread);
  while (thread.depth() > 0) {
    const uint32_t slot = thread.depth() - 1;
    const uint8_t kind = thread.ring->open[slot].kind;
    // Other spans say nothing by their stack address, and what lies below them on the stack began before them.
    if (kind != kKindLibraryCall && !is_api_call(kind)) return;
    // The stack grows down: this call's frame lies above the caller's, so it is still running, as are all outside it.
    if (thread.marks[slot].stack_address > frame) return;
    SpanResult result;
    result.failed = true;
    if (is_api_call(kind)) result.correlation = thread.marks[slot].correlation;
    close_span(thread, slot, now(), 0, result);
  }
}

}  // namespace xsp::guest
