#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/export/byte_sink.h"
#include "analysis/render/render.h"
#include "analysis/report/report.h"
#include "analysis/study/analysed_trace.h"
#include "base/status.h"

namespace xsp::analysis {

/// What an export is made of. `report` is computed at its first use: most formats hold spans, not tables.
struct ExportInput {
  const AnalysedTrace& analysed;
  const std::vector<ReportInput>& inputs;
  std::function<const Report&()> report;
  bool with_command = true;                         // without --redact
  std::function<void(std::string_view note)> note;  // receives what the user should know about what was written, if set
};

/// A format of --export.
struct Exporter {
  std::string_view name;       // "perfetto"
  std::string_view extension;  // of the default file: ".pftrace"
  std::string_view about;      // for --help: "Perfetto's protobuf, for ui.perfetto.dev"
  /// Writes all of it. Returns only errors that the sink does not know of: a missing library, missing data. A writer
  /// that needs a path of its own (SQLite) gets that instead of a sink.
  Status (*write)(const ExportInput& input, ByteSink* sink) = nullptr;
  Status (*write_file)(const ExportInput& input, const std::string& path) = nullptr;
  bool takes_folder = false;  // a path that ends in "/" or is a folder is that of a dataset in several files
};

/// All formats, in the order of --help.
std::span<const Exporter> exporters();

/// The format of this name, or null.
const Exporter* find_exporter(std::string_view name);

}  // namespace xsp::analysis
