#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collector/clocks/tsc_rate.h"
#include "collector/continuous/ended_processes.h"
#include "collector/continuous/storage_budget.h"
#include "collector/messages/activity_columns_reader.h"
#include "collector/messages/span_columns_reader.h"
#include "collector/recording/scratch_folder.h"
#include "collector/recording/static_libraries.h"
#include "collector/recording/summary.h"
#include "collector/writing/trace_writer.h"

namespace xsp {

class PartSequence;
class ProcessTrace;

/// What all processes of one trace share.
struct Recording {
  explicit Recording(TraceWriter& trace_writer, ScratchFolder folder = ScratchFolder())
      : writer(trace_writer), scratch(std::move(folder)) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Keeps to a budget, and counts what is not stored. `file_bytes`: of a trace that is one file; 0: any.
  void limit(uint64_t bytes_per_second, uint64_t file_bytes, uint64_t now_ns);

  void add(ProcessTrace* process) { live.push_back(process); }
  /// The process has written its last packet.
  void remove(const ProcessTrace* process);

  /// So many spans come now: decides up to `now_ns` what is stored.
  void expect_spans(size_t count, uint64_t now_ns);
  /// Call it every second: counts of a minute, decisions, and a part that is old enough.
  void tick(uint64_t now_ns);
  /// Ends the part if that is due. Wherever no packet is half written.
  void rotate_if_due(uint64_t now_ns);

  TraceWriter& writer;
  Summary summary;
  /// Where profile files may be removed.
  ScratchFolder scratch;
  /// Serves processes that sent one clock reading only.
  TscRate tsc_rate;
  /// Of packets that are not whole yet, over all peers.
  uint64_t unfinished_bytes = 0;
  /// Of what waits in rings, over all processes; never less than it is.
  uint64_t held_bytes = 0;
  /// Of the files that processes have loaded.
  StaticLibraries static_libraries;
  /// Reused by every batch that is decoded.
  SpanColumns columns;
  ActivityColumns activities;

  /// Spans are counted as well, because not all may be stored, or stay.
  bool counts = false;
  StorageBudget budget;
  /// Null: the trace is one file.
  PartSequence* parts = nullptr;
  EndedProcesses ended;
  /// In the order in which they came; of those that have written their last packet none.
  std::vector<ProcessTrace*> live;
  /// Spans that were to be stored.
  uint64_t kept_spans = 0;
  /// Spans that were counted and not stored, of processes that have ended.
  uint64_t not_stored = 0;
};

}  // namespace xsp
