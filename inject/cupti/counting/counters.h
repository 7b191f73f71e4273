#pragma once

#include <cstdint>
#include <string_view>

#include "inject/cupti/library/api_functions.h"
#include "inject/cupti/state/session.h"
#include "inject/guard/settings.h"

namespace xsp::guest {

/// Hardware counters of every kernel (doc/counters.md): tracks launches, and begins and ends the ranges of a device, in
/// the callbacks of launching calls on the program's threads. What needs no context is done by the thread xsp-counters.

/// Prepares to count what --metrics says. False after a notice: nothing is counted.
bool start_counters(const Session& session, void* library, const Settings& settings);

/// Whether this process counts.
bool counts_kernels();

/// A call of the driver that launches begins, and ends. The thread has its device's turn in
/// between.
void counted_launch_begins(ApiLaunch launch, const cupti::CallbackData& data);
void counted_launch_ends(const cupti::CallbackData& data);

/// A graph's node was made on this thread. What it launches now is captured, unless it launches a graph.
void counted_graph_node(const cupti::GraphData& graph, bool is_clone);

/// A context is about to be destroyed.
void counted_context_ends(void* context);

/// Ends counting in this process and hands over what was counted. The user is told `why`.
void stop_counters(std::string_view why);

/// At the end of the process: waits, at most this long, until what was counted is on its way.
void finish_counters(uint64_t nanoseconds);

}  // namespace xsp::guest
