#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collector/clocks/tsc_rate.h"
#include "collector/continuous/ended_processes.h"
#include "collector/continuous/span_storage.h"
#include "collector/messages/activity_columns_reader.h"
#include "collector/messages/span_columns_reader.h"
#include "collector/recording/recorded_process.h"
#include "collector/recording/scratch_folder.h"
#include "collector/recording/static_libraries.h"
#include "collector/recording/summary.h"
#include "collector/recording/unrecorded_processes.h"
#include "collector/writing/trace_writer.h"

namespace xsp {

class PartSequence;

/// What all processes of one trace share. One thread uses it. The writer, the parts and the live processes are not
/// owned; everything else is.
struct Recording final : private SpanStorage::Listener {
  explicit Recording(TraceWriter& trace_writer, ScratchFolder folder = ScratchFolder())
      : writer(trace_writer), scratch(std::move(folder)), storage(trace_writer, *this) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// The trace is written in parts.
  void divide(PartSequence& sequence);

  void add(RecordedProcess* process) { live.push_back(process); }
  /// The process has written its last packet.
  void remove(const RecordedProcess* process);

  /// To be called every second: minute counts, decisions, and ending a part that is old enough.
  void tick(uint64_t now_ns);
  /// Ends the part if it is due. May be called whenever no packet is half written.
  void rotate_if_due(uint64_t now_ns);

  TraceWriter& writer;
  Summary summary;
  UnrecordedProcesses unrecorded;
  /// Where profile files may be removed.
  ScratchFolder scratch;
  /// For processes that have sent only one clock reading.
  TscRate tsc_rate;
  /// Bytes of unfinished packets, over all peers.
  uint64_t unfinished_bytes = 0;
  /// Bytes waiting in rings, over all processes; may be too high, never too low.
  uint64_t held_bytes = 0;
  /// Libraries in the files that processes have loaded.
  StaticLibraries static_libraries;
  /// Reused by every batch that is decoded.
  SpanColumns columns;
  ActivityColumns activities;

  /// Counts spans if not all may be stored, or if stored ones are removed later.
  SpanStorage storage;
  /// Null: the trace is one file.
  PartSequence* parts = nullptr;
  EndedProcesses ended;
  /// In order of arrival; without those that have written their last packet.
  std::vector<RecordedProcess*> live;
  /// Spans counted but not stored, of processes that have ended.
  uint64_t not_stored = 0;

 private:
  void storage_changed() override;
};

}  // namespace xsp
