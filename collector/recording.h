#pragma once

#include <cstdint>
#include <utility>

#include "collector/activity_columns_reader.h"
#include "collector/scratch_folder.h"
#include "collector/span_columns_reader.h"
#include "collector/static_libraries.h"
#include "collector/summary.h"
#include "collector/trace_writer.h"
#include "collector/tsc_rate.h"

namespace xsp {

/// What all processes of one trace share.
struct Recording {
  explicit Recording(TraceWriter& trace_writer, ScratchFolder folder = ScratchFolder())
      : writer(trace_writer), scratch(std::move(folder)) {}

  TraceWriter& writer;
  Summary summary;
  /// Where profile files may be removed.
  ScratchFolder scratch;
  /// Serves processes that sent one clock reading only.
  TscRate tsc_rate;
  /// Of packets that are not whole yet, over all peers.
  uint64_t unfinished_bytes = 0;
  /// Of the files that processes have loaded.
  StaticLibraries static_libraries;
  /// Reused by every batch that is decoded.
  SpanColumns columns;
  ActivityColumns activities;
};

}  // namespace xsp
