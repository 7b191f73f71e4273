#pragma once

#include <cstdint>

#include "inject/ranges/range_domain.h"
#include "inject/record/span.h"

namespace xsp::guest {

/// Ranges that nest on a thread (NVTX push and pop, ITT task begin and end): spans on the thread's stack of open spans,
/// so that what begins inside has them as parent. Domains may interleave, and programs pop too often or too rarely: a
/// pop ends the range that its own domain pushed last on this thread, and never another span. Levels are counted apart
/// from the stack, so that a range that the stack had no room for, or that its surroundings ended, is popped by its own
/// pop.

/// What the ranges of a thread need.
struct RangeThread {
  static constexpr ThreadRoom kRoom = ThreadRoom::kRanges;

  uint16_t levels[kMaxRangeDomains];  // ranges pushed and not yet popped, by number of the domain
};

/// Level of the range pushed, from 0, as NVTX returns it; kNotTracked when nothing is recorded. Opens the recording
/// window if its name is the awaited one.
int push_range(const RangeDomain& domain, uint32_t name);

/// In the place of push_range, where range_thread() is null and the name is not the awaited one: outside the recording
/// window levels are counted on, so that the pop does not take a range that began before.
int pass_range(const RangeDomain& domain);

/// Ends at `end`. Level of the range popped; -1 when there was none, kNotTracked when nothing is recorded.
int pop_range(const RangeDomain& domain, uint64_t end);

/// Attaches a text to the range of the domain that was pushed last on this thread: recorded as its argument.
void describe_range(const RangeDomain& domain, uint32_t text);

/// A range of no length.
void mark_range(const RangeDomain& domain, uint32_t name);

/// The innermost open span of the thread that is no range; kNoSlot: none.
uint32_t slot_below_ranges(const Thread& thread);

/// Ends the ranges that lie on the stack above `slot`: they were opened inside a call that ends now, and do not outlive
/// it. Their pops will find nothing.
void close_ranges_above(Thread& thread, uint32_t slot, uint64_t end);

/// The thread, if ranges are recorded: not with --level model, where no layers are wanted. Library calls (oneDNN's
/// tasks) are with --level library only.
Thread* range_thread(const RangeDomain& domain);

/// The same without a look at the recording window and at the thread.
bool are_ranges_wanted(const RangeDomain& domain);

}  // namespace xsp::guest
