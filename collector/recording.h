#pragma once

#include <cstdint>

#include "collector/span_columns_reader.h"
#include "collector/summary.h"
#include "collector/trace_writer.h"

namespace xsp {

/// What all processes of one trace share.
struct Recording {
  explicit Recording(TraceWriter& trace_writer) : writer(trace_writer) {}

  TraceWriter& writer;
  Summary summary;
  /// Rate of the host's TSC as the collector measured it itself, 0: unknown. Serves processes that sent one clock
  /// reading only.
  double tsc_ticks_per_ns = 0;
  /// Reused by every batch that is decoded.
  SpanColumns columns;
};

}  // namespace xsp
