#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/trace/span_table.h"

namespace xsp::analysis {

/// Where something executed.
struct Queue {
  uint32_t process = 0;  // index of Trace::processes
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;

  bool operator==(const Queue&) const = default;
};

/// A span of the same process as the trace names it.
struct SpanReference {
  uint32_t ring = 0;  // + 1; 0: not known
  uint32_t id = 0;
};

/// What the spans of the device level have beyond the columns of SpanTable, as columns. In SpanTable their name is the
/// kernel's as recorded (mangled) or the kind of copy, their shape the launch configuration, their bytes those copied
/// or set; their track has thread 0.
struct ExecutionTable {
  std::vector<Row> row;         // in SpanTable, ascending
  std::vector<uint32_t> queue;  // index of Trace::queues
  std::vector<uint64_t> correlation;
  std::vector<uint64_t> graph_node;  // 0: not of a graph
  std::vector<uint32_t> graph;
  std::vector<SpanReference> launch;
  std::vector<SpanReference> capture;

  size_t size() const { return row.size(); }

  /// Grows with zeros or cuts off.
  void resize(size_t executions) {
    row.resize(executions);
    queue.resize(executions);
    correlation.resize(executions);
    graph_node.resize(executions);
    graph.resize(executions);
    launch.resize(executions);
    capture.resize(executions);
  }
};

}  // namespace xsp::analysis
