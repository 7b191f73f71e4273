#pragma once

#include <cstdint>
#include <vector>

#include "collector/continuous/span_account.h"
#include "collector/correlation/graph_nodes_table.h"
#include "collector/correlation/launch_table.h"
#include "collector/writing/execution_stream.h"

namespace xsp {

/// For the GPU activity of one process, finds the span that launched it and the span in which its graph node was made.
/// Launches, nodes and executions may come in any order: an execution waits for what it lacks, and is written without
/// it once it has waited too long or too many wait.
class ExecutionJoin {
 public:
  /// `account` counts what is joined and decides what is stored; null: everything is. Neither is owned.
  ExecutionJoin(uint32_t process, TraceWriter& writer, SpanAccount* account = nullptr)
      : account_(account), stream_(process, writer) {}

  /// The call with this correlation id; any number of executions may follow.
  void add_launch(uint32_t correlation, SpanReference launch) {
    launches_.add(correlation, launch);
    ++news_;
  }
  bool has_launch(uint32_t correlation) { return launches_.find(correlation).ring != 0; }
  /// A node of a graph; see GraphNodesTable::add.
  bool add_node(uint64_t node, uint64_t original, SpanReference span) {
    ++news_;
    return nodes_.add(node, original, span);
  }
  /// Takes one activity, times in nanoseconds. If it already names its launch, that is kept.
  void add(const ActivityRow& row, const ActivityQueue& queue, uint64_t now_ns);
  /// Retries what waits, if enough has arrived meanwhile. To be called after each batch.
  void retry_if_worthwhile(uint64_t now_ns);
  /// To be called every second.
  void flush_if_due(uint64_t now_ns);
  /// Writes what is joined.
  void flush() { stream_.flush(); }
  /// No more will come: writes everything.
  void finish(uint64_t now_ns);

  uint64_t executions() const { return stream_.executions(); }
  uint64_t unmatched() const { return stream_.unmatched(); }
  size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    ActivityRow row;
    ActivityQueue queue;
    uint64_t since_ns;
  };

  bool is_joined(ActivityRow& row);
  /// Passes the row to the trace as it is, if the account stores it.
  void write(const ActivityRow& row, const ActivityQueue& queue, uint64_t now_ns);
  void retry(uint64_t now_ns);
  /// Writes the first `count` of those that wait as they are.
  void release(size_t count, uint64_t now_ns);

  SpanAccount* account_;
  LaunchTable launches_;
  GraphNodesTable nodes_;
  std::vector<Waiting> waiting_;  // in order of arrival
  size_t news_ = 0;               // launches and nodes since the last retry
  ExecutionStream stream_;
};

}  // namespace xsp
