#pragma once

#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Whether a span is an executed node of a graph (ONNX Runtime, TensorFlow, XLA), which its scope ties to its run.
inline bool is_node(const SpanTable& spans, Row row) {
  return spans.level[row] == Level::kLayer &&
         (spans.kind[row] == Kind::kOrtNode || (spans.kind[row] == Kind::kOperator && spans.scope[row] != 0));
}

/// Control flow: the nodes of the body of a Loop, If or Scan run inside it, on its thread. Gives each
/// node of a run that lies in another node of the same run and thread that node as parent; `parents` (by row) has the
/// runs as parents of the nodes.
///
/// Times are whole microseconds, rounded down at begin and duration: nodes that follow each other never overlap, and a
/// body node ends at most 2 µs behind its outer node. A node without duration that begins with another one may as well
/// have run before it and is not in it. Of equal intervals the outer one is the later in the file, since a node is
/// recorded when it ends.
void nest_nodes(const Trace& trace, std::vector<Row>* parents);

}  // namespace xsp::analysis
