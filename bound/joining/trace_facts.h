#pragma once

#include "bound/joining/joined_trace.h"

namespace xsp::bound {

/// What a trace tells without the model: its subject, framework, device, threads, latencies and layers, none of them
/// joined yet.
JoinedTrace facts_of(const analysis::AnalysedTrace& trace);

}  // namespace xsp::bound
