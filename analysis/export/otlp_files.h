#pragma once

#include "analysis/export/exporter.h"

namespace xsp::analysis {

/// All spans as one TracesData in protobuf.
Status write_otlp(const ExportInput& input, ByteSink* sink);

/// All spans as OTLP/JSON, one TracesData a line, as the collector's otlpjsonfile receiver reads them.
Status write_otlp_json(const ExportInput& input, ByteSink* sink);

}  // namespace xsp::analysis
