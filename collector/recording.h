#pragma once

#include <cstdint>

#include "collector/activity_columns_reader.h"
#include "collector/span_columns_reader.h"
#include "collector/static_libraries.h"
#include "collector/summary.h"
#include "collector/trace_writer.h"
#include "collector/tsc_rate.h"

namespace xsp {

/// What all processes of one trace share.
struct Recording {
  explicit Recording(TraceWriter& trace_writer) : writer(trace_writer) {}

  TraceWriter& writer;
  Summary summary;
  /// Serves processes that sent one clock reading only.
  TscRate tsc_rate;
  /// Of the files that processes have loaded.
  StaticLibraries static_libraries;
  /// Reused by every batch that is decoded.
  SpanColumns columns;
  ActivityColumns activities;
};

}  // namespace xsp
