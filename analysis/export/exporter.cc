#include "analysis/export/exporter.h"

#include <algorithm>
#include <array>
#include <string>

#include "analysis/export/kernel_formats.h"
#include "analysis/export/otlp_batches.h"
#include "analysis/export/otlp_message.h"
#include "analysis/export/parquet_file.h"
#include "analysis/export/span_formats.h"
#include "analysis/export/sqlite_file.h"

namespace xsp::analysis {
namespace {

void write_otlp_batches(const ExportInput& input, void (*append)(const OtlpBatch&, std::string*), std::string_view end,
                        ByteSink* sink) {
  OtlpBatches batches(input, Level::kDevice);
  OtlpBatch batch;
  std::string bytes;
  while (batches.next(&batch) != 0 && !sink->failed()) {
    bytes.clear();
    append(batch, &bytes);
    bytes += end;
    sink->write(bytes);
  }
}

/// All spans as one TracesData in protobuf.
Status write_otlp(const ExportInput& input, ByteSink* sink) {
  write_otlp_batches(input, append_otlp_protobuf, "", sink);
  return {};
}

/// All spans as OTLP/JSON, one TracesData a line, as the collector's otlpjsonfile receiver reads them.
Status write_otlp_json(const ExportInput& input, ByteSink* sink) {
  write_otlp_batches(input, append_otlp_json, "\n", sink);
  return {};
}

Status write_tables_as_csv(const ExportInput& input, ByteSink* sink) {
  sink->write(render_csv(input.report().tables, {}));
  return {};
}

Status write_tables_as_json(const ExportInput& input, ByteSink* sink) {
  const Report& report = input.report();
  const ReportFindings said{report.verdict, report.findings};
  sink->write(render_json(report.tables, input.inputs, {}, &said));
  return {};
}

constexpr std::array kExporters = {
    Exporter{"perfetto", ".pftrace", "all spans, Perfetto's protobuf for ui.perfetto.dev", write_perfetto},
    Exporter{"chrome", ".trace.json", "all spans, JSON as PyTorch's profiler writes it", write_chrome},
    Exporter{"otlp", ".otlp", "OpenTelemetry's protobuf (TracesData)", write_otlp},
    Exporter{"otlp-json", ".otlp.jsonl", "OpenTelemetry's JSON, one TracesData a line", write_otlp_json},
    Exporter{"speedscope", ".speedscope.json", "all spans by thread and stream, for speedscope.app", write_speedscope},
    Exporter{"pprof", ".pb.gz", "kernels and layers of an evaluation, for go tool pprof", write_pprof},
    Exporter{"folded", ".folded", "kernels of an evaluation as stacks, for flame graphs", write_folded},
    Exporter{"csv", ".csv", "the tables, RFC 4180", write_tables_as_csv},
    Exporter{"json", ".json", "the tables, one object", write_tables_as_json},
    Exporter{"sqlite", ".sqlite", "a SQLite database with all spans and all tables", nullptr, write_sqlite},
    Exporter{"parquet", ".parquet", "Parquet, one row a span (through pyarrow)", nullptr, write_parquet, true},
};

}  // namespace

std::span<const Exporter> exporters() { return kExporters; }

const Exporter* find_exporter(std::string_view name) {
  const auto* found = std::find_if(kExporters.begin(), kExporters.end(),
                                   [&](const Exporter& exporter) { return exporter.name == name; });
  return found == kExporters.end() ? nullptr : found;
}

}  // namespace xsp::analysis
