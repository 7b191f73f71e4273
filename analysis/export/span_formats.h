#pragma once

#include "analysis/export/exporter.h"

namespace xsp::analysis {

/// Formats of single spans: all of the input, none left out.

/// Perfetto's protobuf: processes with their threads and GPUs, slices, a flow from each launch to what it launched.
Status write_perfetto(const ExportInput& input, ByteSink* sink);

/// The JSON of Chrome's tracing, in the words of PyTorch's profiler (Kineto), which its tools read.
Status write_chrome(const ExportInput& input, ByteSink* sink);

/// A profile of speedscope.app for each thread and stream, and one by layer, call and kernel for each model.
Status write_speedscope(const ExportInput& input, ByteSink* sink);

}  // namespace xsp::analysis
