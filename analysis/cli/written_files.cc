#include "analysis/cli/written_files.h"

#include <filesystem>

#include "analysis/cli/messages.h"
#include "analysis/cli/sent_spans.h"
#include "analysis/export/byte_sink.h"
#include "analysis/html/html_report.h"

namespace xsp::analysis {
namespace {

Status write_page(const Options& options, const Inputs& inputs, const Report& report, bool* broken_pipe) {
  ByteSink sink(options.output);
  write_html(report, inputs.input, {}, &sink);
  Status status = sink.finish();
  *broken_pipe = sink.broken_pipe();
  if (status.ok()) tell_written(options, options.output, sink.written());
  return status;
}

Status write_export(const Options& options, const ExportRequest& request, const ExportInput& input, bool* broken_pipe) {
  if (request.exporter->write_file != nullptr) {
    Status status = request.exporter->write_file(input, request.path);
    std::error_code error;
    const auto size = std::filesystem::file_size(request.path, error);
    if (status.ok() && !error) tell_written(options, request.path, size);
    return status;
  }
  ByteSink sink(request.path);
  if (Status status = request.exporter->write(input, &sink); !status.ok()) {
    sink.abandon();
    return status;
  }
  Status status = sink.finish();
  *broken_pipe = sink.broken_pipe();
  if (status.ok()) tell_written(options, request.path, sink.written());
  return status;
}

}  // namespace

Status write_files(const Options& options, const Inputs& inputs, Outcome* outcome, bool* broken_pipe) {
  if (options.format == Format::kHtml) {
    const Report& report = report_of(options, inputs, outcome);
    if (Status status = write_page(options, inputs, report, broken_pipe); !status.ok()) return status;
  }
  const std::vector<ReportInput> described = describe_inputs(options, inputs);
  const ExportInput input{.analysed = inputs.input,
                          .inputs = described,
                          .report = [&]() -> const Report& { return report_of(options, inputs, outcome); },
                          .with_command = !options.redact,
                          .note = [&](std::string_view note) { tell_note(options, note); }};
  for (const ExportRequest& request : options.exports) {
    if (Status status = write_export(options, request, input, broken_pipe); !status.ok()) return status;
  }
  return options.otlp.empty() ? Status() : send_spans(options, input);
}

}  // namespace xsp::analysis
