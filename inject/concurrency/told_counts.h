#pragma once

#include <cstdint>

#include "inject/guard/spin_lock.h"
#include "proto/trace_messages.h"

namespace xsp::guest {

struct Process;

/// What the collector is told of the threads of model calls: packets ThreadCounts, each with several calls. From any
/// thread. Without a collector, and where memory is short, nothing is told.

/// The process wakes.
void prepare_thread_counts();

void tell_thread_count(const wire::ThreadCount& call);
void tell_switches(const wire::ThreadSwitch* changes, uint32_t count);
void tell_cores(uint32_t cores);
void tell_own_threads(uint32_t threads);
void tell_ended(wire::ThreadCountsEnded why);

/// A session of ONNX Runtime was made with these numbers; 0: the program's.
void tell_session(uint32_t intra, uint32_t inter);

/// Posts what waits for more.
void flush_thread_counts(Process& process);

}  // namespace xsp::guest
