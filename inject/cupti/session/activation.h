#pragma once

#include "inject/cupti/state/session.h"

namespace xsp::guest {

/// What is asked of CUPTI for a session that records, and how it is given back. The caller holds SessionChange.

/// Subscribes, registers our buffers, enables callbacks and kinds. Returns the mode that was possible; kNone after a
/// notice, with nothing of ours left in CUPTI.
SessionMode activate(SessionState& page);

/// Undoes it for another profiler, or for a while: what was recorded is flushed, our kinds are disabled, our subscriber
/// leaves. The mode is kPaused afterwards.
void deactivate(SessionState& page);

/// Enables the kinds of activity that --activities chose. Fails with the result of the first one when none can be had;
/// if only some are refused, the user is told which.
cupti::Result enable_kinds(SessionState& page);
void disable_kinds(const SessionState& page);

}  // namespace xsp::guest
