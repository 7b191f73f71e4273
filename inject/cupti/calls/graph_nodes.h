#pragma once

#include "inject/cupti/state/session.h"

namespace xsp::guest {

/// Nodes of CUDA graphs, as they are made: which span made a node, and which node a clone was made from. They tie what
/// executes in a graph to a layer, as its launch lies elsewhere. The call of the CUDA API that made a node, be it a
/// captured launch, is recorded without a correlation id.
///
/// The executable graph is a clone of the graph, and a child graph and the body of a conditional node are graphs of
/// their own: their nodes come like any others. An update of an executable graph leaves its nodes, and where they came
/// from, as they were.

void on_resource_callback(uint32_t callback_id, const cupti::ResourceData& data);

/// Enables callbacks for nodes. Does nothing with a CUPTI that cannot give their ids.
void enable_graph_node_callbacks(Session& session);

/// A profiler in the program starts after a session of ours: in a program with graphs CUPTI may report wrong launches
/// to it (CuptiFault::kGraphIdsOfOthers), which the user is told.
void tell_profiler_of_graphs(const Session& session);

}  // namespace xsp::guest
