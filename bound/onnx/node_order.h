#pragma once

#include "base/status.h"
#include "bound/onnx/graph.h"

namespace xsp::bound {

/// Brings nodes into an order in which each follows what it reads, in all graphs; nodes that are in one stay as they
/// are, others go as little behind as they must. What the graphs of a node read from outside counts as read by the
/// node. Errors: a cycle, a value that is written twice, and in the outermost graph one that a node reads and nothing
/// writes.
Status order_nodes(Graph* graph);

}  // namespace xsp::bound
