#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "collector/continuous/span_account.h"
#include "collector/correlation/api_calls.h"
#include "collector/correlation/execution_join.h"
#include "collector/process/process_clocks.h"
#include "collector/process/process_context.h"
#include "collector/process/process_names.h"
#include "collector/process/process_rings.h"
#include "proto/activity_columns.h"
#include "proto/shared_memory.h"

namespace xsp {

/// What CUPTI has reported about a process: executions on devices, CUDA API calls that come as activity records, graph
/// nodes. Joins them with the spans that launched them and passes them to the trace. Used by one thread; what it is
/// given is not owned and must outlive it.
class ProcessActivities {
 public:
  ProcessActivities(ProcessContext& context, ProcessNames& names, ProcessClocks& clocks, ProcessRings& rings,
                    SpanAccount& account)
      : context_(context),
        names_(names),
        clocks_(clocks),
        rings_(rings),
        executions_(context.number, context.writer, &account),
        api_calls_(context.number, context.losses, account) {}

  /// Take an ActivityBatch and a GraphNodeBatch. An error says how the message contradicts itself or what limit it
  /// breaks. Both throw protozero::exception on broken protobuf.
  Status receive(protozero::data_view bytes);
  Status receive_graph_nodes(protozero::data_view bytes);

  /// Adds a span of a ring as the launch of whatever has its correlation id.
  void add_launch(uint32_t ring, const SpanRow& row);
  void add_graph_node(uint32_t ring, uint64_t node, uint64_t original, uint32_t span);
  /// See ExecutionJoin.
  void retry_if_worthwhile(uint64_t now_ns) { executions_.retry_if_worthwhile(now_ns); }

  /// Holds a record found in a ring of an ended process until take_left(), which is called after all spans, so that
  /// launches come before what they launched. If there are very many, they are taken at once.
  void hold_left(const shm::ActivityRecord& record, uint64_t now_ns);
  void take_left(uint64_t now_ns);

  /// Writes what is joined. What waits for its launch keeps waiting.
  void flush();
  /// Writes what has waited long enough.
  void flush_if_due(uint64_t now_ns);
  /// Nothing more will come: writes everything.
  void finish(uint64_t now_ns);

  /// Activities and calls that arrived, including calls that may be part of others.
  uint64_t came() const { return count() + api_calls_.waiting(); }
  /// Activities and calls in the trace.
  uint64_t count() const { return count_ + api_calls_.count(); }
  /// Kernels, copies and memsets, and how many of them lack a launch.
  uint64_t executions() const { return executions_.executions(); }
  uint64_t unmatched() const { return executions_.unmatched(); }

 private:
  bool convert(uint32_t clock, ActivityRow& row, uint64_t now_ns);
  /// False if the row is not an API call. The calls of a batch are taken before the executions that they launch.
  bool take_api_call(uint32_t clock, ActivityRow& row, uint64_t now_ns);
  void take_execution(uint32_t clock, ActivityRow& row, const ActivityQueue& queue, uint64_t now_ns);

  ProcessContext& context_;
  ProcessNames& names_;
  ProcessClocks& clocks_;
  ProcessRings& rings_;
  ExecutionJoin executions_;
  ApiCalls api_calls_;
  std::vector<shm::ActivityRecord> left_;
  uint64_t count_ = 0;
};

}  // namespace xsp
