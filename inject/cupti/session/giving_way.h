#pragma once

#include <cstdint>

#include "inject/cupti/state/other_profiler_state.h"
#include "inject/cupti/state/session.h"

namespace xsp::guest {

/// How our session gives way to another profiler in the program (PyTorch's, XLA's, Triton's), whose calls of CUPTI pass
/// through wrappers (inject/library/description/cupti.txt, other_profiler_hooks.cc):
///
/// - before it subscribes, our subscriber leaves, and calls come as records;
/// - before it chooses buffers per thread, sets the clock, registers buffers or enables a kind, our records are flushed
///   and our kinds disabled;
/// - when it has disabled all kinds and flushed, or has unsubscribed or finalized CUPTI, and has called nothing for a
///   moment, our own thread goes on.
///
/// Every buffer goes back to whoever gave it, whichever completion callback CUPTI calls. Libraries that were loaded
/// from several files of CUPTI are told apart by the file.

/// It is about to use CUPTI's buffers: our session pauses. Returns whether it had them before.
bool take_buffers(OtherProfiler& other, const xsp_around& around);

/// Puts its callbacks in place again, where ours have replaced them since it registered.
void register_again(const CuptiCopy& copy);

/// What is registered in place of its own completion callback, and passes its buffers on.
void* completion_of(const OtherProfiler& other, const CuptiCopy& copy);

/// It has let go of its buffers once it has no kinds enabled and, if a flush is due, has flushed since it disabled one.
void release_buffers_if_done(OtherProfiler& other, bool is_flush_due);

/// Has our own thread find out whether the session can go on.
void ask_to_settle(OtherProfiler& other);

/// Takes back what it has let go of since the last time: the activity thread's SettleDuty, never on another thread.
uint64_t settle_with_other_profiler(const Session& session);

}  // namespace xsp::guest
