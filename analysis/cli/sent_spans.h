#pragma once

#include "analysis/cli/options.h"
#include "analysis/export/exporter.h"
#include "base/status.h"

namespace xsp::analysis {

/// --otlp: sends the spans and tells on stderr how far it is (on a terminal) and what was sent.
Status send_spans(const Options& options, const ExportInput& input);

}  // namespace xsp::analysis
