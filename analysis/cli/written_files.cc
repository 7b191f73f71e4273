#include "analysis/cli/written_files.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "analysis/cli/messages.h"
#include "analysis/cli/options.h"
#include "analysis/cli/targets.h"
#include "analysis/export/byte_sink.h"
#include "analysis/export/exporter.h"
#include "analysis/export/otlp_sender.h"
#include "analysis/html/html_report.h"
#include "base/status.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

void tell_progress(const OtlpDelivery& delivery) {
  std::fprintf(stderr, "\rxsp-report: sent %llu spans", static_cast<unsigned long long>(delivery.spans));
}

void tell_delivery(const Options& options, const OtlpDelivery& delivery) {
  std::fprintf(stderr, "xsp-report: sent %llu spans to %s (%llu requests, %.1f kB)\n",
               static_cast<unsigned long long>(delivery.spans), printable(options.otlp).c_str(),
               static_cast<unsigned long long>(delivery.requests), static_cast<double>(delivery.bytes) / 1e3);
  if (delivery.left_out == 0) return;
  std::fprintf(stderr, "xsp-report: left out %llu spans below the level %s (--otlp-level device sends all)\n",
               static_cast<unsigned long long>(delivery.left_out), kLevelNames[static_cast<size_t>(delivery.deepest)]);
}

/// Also with --quiet: what was received is not all that was sent.
void tell_rejected(const Options& options, const OtlpDelivery& delivery) {
  if (delivery.rejected == 0 && delivery.receiver_says.empty()) return;
  constexpr size_t kColumns = 300;
  std::fprintf(stderr, "xsp-report: warning: %s rejected %llu of the spans (%s)\n", printable(options.otlp).c_str(),
               static_cast<unsigned long long>(delivery.rejected),
               delivery.receiver_says.empty() ? "it does not say why"
                                              : shorten(printable(delivery.receiver_says), kColumns).c_str());
}

/// --otlp: sends the spans and tells on stderr how far it is (on a terminal) and what was sent.
Status send_spans(const Options& options, const ExportInput& input) {
  const bool shows_progress = !options.quiet && isatty(STDERR_FILENO) != 0;
  OtlpDelivery delivery;
  Status status = send_otlp(input, options.otlp, options.otlp_level,
                            shows_progress ? OtlpProgress(tell_progress) : OtlpProgress(), &delivery);
  if (shows_progress && delivery.requests != 0) std::fputs("\r\x1b[K", stderr);
  if (status.ok() && !options.quiet) tell_delivery(options, delivery);
  tell_rejected(options, delivery);
  if (!status.ok() && status.hint.empty()) {
    status.hint = "the receiver's log may say more; --export otlp-json=FILE writes the spans to a file";
  }
  return status;
}

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
    if (Status status = write_page(options, inputs, report, broken_pipe); !status.ok())
      return with_file_hint(status, "-o ");
  }
  // The report is made when a format first asks for it: formats of spans never do.
  const std::vector<ReportInput> described = describe_inputs(options, inputs);
  const ExportInput input{.analysed = inputs.input,
                          .inputs = described,
                          .report = [&]() -> const Report& { return report_of(options, inputs, outcome); },
                          .with_command = !options.redact,
                          .note = [&](std::string_view note) { tell_note(options, note); }};
  for (const ExportRequest& request : options.exports) {
    if (Status status = write_export(options, request, input, broken_pipe); !status.ok()) {
      return with_file_hint(status, export_option(*request.exporter));
    }
  }
  return options.otlp.empty() ? Status() : send_spans(options, input);
}

}  // namespace xsp::analysis
