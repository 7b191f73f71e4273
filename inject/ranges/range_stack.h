#pragma once

#include <cstdint>

#include "inject/ranges/range_domain.h"
#include "inject/record/span.h"

namespace xsp::guest {

/// Ranges that nest on a thread (NVTX push and pop, ITT task begin and end): spans on the thread's stack of open spans,
/// so that what begins inside has them as parent. Domains may interleave, and programs pop too often or too rarely: a
/// pop ends the range that its own domain pushed last on this thread, and never another span. Levels are counted apart
/// from the stack, so that the pop of a range that found no room on the stack, or that ended with the span around it,
/// ends no other range.

/// What the ranges of a thread need.
struct RangeThread {
  static constexpr ThreadRoom kRoom = ThreadRoom::kRanges;

  uint16_t levels[kMaxRangeDomains];  // ranges pushed and not yet popped, by number of the domain
};

/// Pushes a range. Returns its level from 0 on, as NVTX does; kNotTracked when nothing is recorded. Opens the recording
/// window if its name is the awaited one.
int push_range(const RangeDomain& domain, uint32_t name);

/// To be called instead of push_range() where range_thread() is null and the name is not the awaited one. Outside the
/// recording window levels still count, so that the pop does not end a range that began before.
int pass_range(const RangeDomain& domain);

/// Ends the range at `end`. Returns its level; -1 when there was none, kNotTracked when nothing is recorded.
int pop_range(const RangeDomain& domain, uint64_t end);

/// Attaches a text to the range of the domain that was pushed last on this thread: recorded as its argument.
void describe_range(const RangeDomain& domain, uint32_t text);

/// Records a range of no length.
void mark_range(const RangeDomain& domain, uint32_t name);

/// The slot of the innermost open span of the thread that is not a range; kNoSlot if there is none.
uint32_t slot_below_ranges(const Thread& thread);

/// Ends the ranges that lie on the stack above `slot`: they were opened inside a call that ends now, and must not
/// outlive it. Their pops will find nothing.
void close_ranges_above(Thread& thread, uint32_t slot, uint64_t end);

/// The calling thread, if ranges of the domain are recorded, else null. With --level model none are; oneDNN's tasks are
/// library calls, and recorded from --level library on.
Thread* range_thread(const RangeDomain& domain);

/// The same, whatever the state of the recording window and of the thread.
bool are_ranges_wanted(const RangeDomain& domain);

}  // namespace xsp::guest
