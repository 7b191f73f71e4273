#pragma once

#include "inject/cupti/state/session.h"

namespace xsp::guest {

/// Has CUPTI return all buffers, including records of what still runs, which lack times and do not come again.
void flush_by_force(Session& session);

/// Likewise, after our kinds have been disabled. A launch that had begun before may ask for a buffer of ours during the
/// flush, or put its record there only afterwards. CUPTI would fill that buffer with another profiler's records, so it
/// is flushed again while CUPTI holds one, ten milliseconds at most.
void flush_until_all_is_back(Session& session);

/// Has CUPTI return what is finished before a context ends, on the thread that ends it: its records are lost with it.
void flush_before_context_ends();

/// Counts the records that CUPTI has dropped since it was last asked as lost.
void count_dropped_records(const Session& session);

}  // namespace xsp::guest
