#include "bound/cli/bound_outputs.h"

#include <unistd.h>

#include <utility>

#include "analysis/cli/browser.h"
#include "analysis/cli/targets.h"
#include "analysis/cli/terminal.h"
#include "analysis/export/byte_sink.h"
#include "analysis/html/html_report.h"
#include "analysis/render/overview.h"
#include "analysis/render/render.h"
#include "analysis/tables/table_cells.h"
#include "base/text_encoding.h"
#include "bound/cli/bound_messages.h"
#include "bound/tables/bound_findings.h"
#include "bound/tables/bound_report.h"
#include "bound/tables/path_drawing.h"

namespace xsp::bound {
namespace {

using analysis::ByteSink;
using analysis::Format;
using analysis::Report;

/// A reader of standard output that went away is not worth a message.
Status finish(const BoundOptions& options, const std::string& path, ByteSink* sink) {
  Status status = sink->finish();
  if (sink->broken_pipe()) return {};
  if (!status.ok()) {
    if (status.hint.empty()) status.hint = "name a file in a folder with free space that you can write to";
    status.exit_code = kNoOutput;
  } else if (path != "-" && !options.quiet) {
    tell_written(path, sink->written());
  }
  return status;
}

std::string text_of(const BoundOptions& options, const Report& report) {
  analysis::ReportOptions rendering = analysis::text_options({.to_standard_output = options.output.empty(),
                                                              .is_text = options.format == Format::kText,
                                                              .is_overview = options.wants_overview(),
                                                              .top = options.top,
                                                              .verbose = options.verbose,
                                                              .plain = options.plain,
                                                              .color = options.color});
  if (options.analyses.size() == 1) rendering.important = names_of(options.analyses.front()->definition->important());
  if (options.format == Format::kCsv) return render_csv(report.tables, rendering);
  return options.wants_overview() ? render_overview(report, rendering) : render_text(report.tables, rendering);
}

std::string json_of(const BoundOptions& options, const BoundSubject& subject, const Report& report) {
  std::vector<analysis::ReportModel> models;
  for (const Bounds& bounds : subject.bounds) models.push_back({bounds.model->path, bounds.model->layers.size()});
  analysis::ReportOptions rendering;
  if (options.top.value_or(0) != 0) rendering.top = *options.top;
  return render_json(report.tables, models, rendering, {report.verdict, report.findings});
}

Status write_text(const BoundOptions& options, const BoundSubject& subject, const Report& report) {
  std::string text = options.format == Format::kJson ? json_of(options, subject, report) : text_of(options, report);
  // JSON and CSV have names as they are, which terminals cannot take. Text is made for terminals.
  const bool is_raw = options.format != Format::kText && options.output.empty() && isatty(STDOUT_FILENO) != 0;
  return write_text_file(options, options.output.empty() ? "-" : options.output, is_raw ? printable_lines(text) : text);
}

Status write_page(const BoundOptions& options, const Report& report) {
  ByteSink sink(options.output);
  write_html(report, analysis::HtmlOptions{}, &sink);
  return finish(options, options.output, &sink);
}

}  // namespace

Status check_outputs(const BoundOptions& options) {
  for (const auto& [option, path] : {std::pair<std::string, std::string>{"-o ", options.output},
                                     {"--dot ", options.dot},
                                     {"--generate ", options.generate},
                                     {"--export-csv ", options.export_csv}}) {
    if (path.empty()) continue;
    Status status = analysis::check_output_path(path, option);
    status.exit_code = kNoOutput;
    if (!status.ok()) return status;
  }
  return {};
}

Status write_text_file(const BoundOptions& options, const std::string& path, const std::string& text) {
  ByteSink sink(path);
  sink.write(text);
  return finish(options, path, &sink);
}

Status write_report(const BoundOptions& options, const BoundSubject& subject, int* exit_code) {
  Report report = bound_report(subject, options.analyses);
  if (options.format != Format::kJson) report.findings = shown_findings(std::move(report.findings));
  const bool is_page = options.format == Format::kHtml;
  if (is_page) report.drawings = path_drawings(subject);
  // On standard output a graph is by itself, for a pipe.
  const bool is_graph_alone = options.dot == "-" && options.output.empty();
  Status status = is_graph_alone ? Status()
                  : is_page      ? write_page(options, report)
                                 : write_text(options, subject, report);
  if (status.ok() && !options.dot.empty()) status = write_text_file(options, options.dot, path_dot(subject.bounds[0]));
  if (status.ok() && options.open) {
    status = analysis::open_page(options.output);
    status.exit_code = kNoOutput;
  }
  *exit_code = kDone;
  for (const analysis::Table& table : report.tables) {
    if (!table.contradiction.empty()) {
      *exit_code = complain(
          {table.contradiction, "the bounds are wrong, not the model: please tell us, with the model"}, kContradiction);
      break;
    }
    if (options.strict && table.lacks_data) *exit_code = kLacksData;
  }
  return status;
}

}  // namespace xsp::bound
