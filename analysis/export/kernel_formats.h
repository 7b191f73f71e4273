#pragma once

#include "analysis/export/exporter.h"

namespace xsp::analysis {

/// Formats of sums: the stacks of kernel_stacks(), for one evaluation of each model as in the tables.

/// A profile of pprof, gzip of its protobuf.
Status write_pprof(const ExportInput& input, ByteSink* sink);

/// A line for each stack, "model;type;layer;call;kernel ns": for flamegraph.pl, inferno and others.
Status write_folded(const ExportInput& input, ByteSink* sink);

}  // namespace xsp::analysis
