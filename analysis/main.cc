/// xsp-report: reads traces, builds the timeline, runs the analyses, renders their tables.

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <span>
#include <utility>

#include "analysis/cli/options.h"
#include "analysis/cli/output.h"
#include "analysis/cli/sent_spans.h"
#include "analysis/compare/comparison_tables.h"
#include "analysis/compare/fail_check.h"
#include "analysis/compare/finding.h"
#include "analysis/compare/matches.h"
#include "analysis/export/byte_sink.h"
#include "analysis/html/html_report.h"
#include "analysis/render/render.h"
#include "analysis/render/summary.h"
#include "analysis/render/text_encoding.h"
#include "analysis/report/redaction.h"
#include "analysis/report/report.h"
#include "analysis/tables/analysed_trace.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/model_baseline.h"
#include "analysis/trace/loader.h"

namespace xsp::analysis {
namespace {

enum ExitCode {
  kDone = 0,
  kFails = 1,  // --fail-if
  kUsage = 2,
  kBadInput = 3,
  kLacksData = 4,
  kNoOutput = 5,
  kContradiction = 6
};

void complain(const Status& status) {
  std::fprintf(stderr, "xsp-report: error: %s\n", printable(status.error).c_str());
  if (!status.hint.empty()) std::fprintf(stderr, "hint: %s\n", printable(status.hint).c_str());
}

/// The summary and the notes of the tables say the same.
void warn(const Options& options, const Trace& trace) {
  if (options.quiet || options.summary) return;
  for (const std::string& warning : input_warnings(trace)) {
    std::fprintf(stderr, "xsp-report: warning: %s\n", printable(warning).c_str());
  }
}

ReportOptions report_options(const Options& options) {
  constexpr size_t kRowsOnTerminal = 20;
  const bool terminal = options.output.empty() && isatty(STDOUT_FILENO) != 0;
  ReportOptions report;
  size_t top = options.top.value_or(terminal && options.format == Format::kText ? kRowsOnTerminal : 0);
  report.top = top == 0 ? SIZE_MAX : top;
  winsize window = {};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) report.width = window.ws_col;
  return report;
}

std::vector<ReportInput> describe_input(const Trace& trace) {
  std::vector<ReportInput> inputs;
  for (const TraceFile& file : trace.files) {
    inputs.push_back({.path = file.path, .complete = file.corrupt_packets == 0 && file.unreadable_bytes == 0});
  }
  for (const Segment& segment : trace.segments) {
    inputs[segment.file].complete &= segment.ended && segment.complete && segment.spans >= segment.announced_spans;
    inputs[segment.file].spans += segment.spans;
  }
  for (const Process& process : trace.processes) {
    inputs[trace.segments[process.segment].file].processes += process.said_hello || process.spans != 0 ? 1 : 0;
  }
  return inputs;
}

/// What was read: one input, or with --diff BASE and NEW.
struct Inputs {
  AnalysedTrace base;  // of --diff
  AnalysedTrace input;
};

struct Outcome {
  std::string text;
  Report report;                  // not of --diff
  std::vector<FailCheck> checks;  // by condition of --fail-if
  bool lacks_data = false;
  std::string contradiction;
};

/// Reads some of the traces and makes everything of them. Not kDone: it was complained about.
ExitCode read_input(const Options& options, std::span<const std::string> paths, AnalysedTrace* input) {
  for (const std::string& path : paths) {
    if (Status status = load_path(path, &input->trace); !status.ok()) {
      complain(status);
      return kBadInput;
    }
  }
  warn(options, input->trace);
  if (options.redact) redact(&input->trace);
  Status status = analyse(options.roles, options.study, input);
  if (status.ok()) return kDone;
  if (options.diff) status.error = (paths.data() == options.traces.data() ? "BASE: " : "NEW: ") + status.error;
  complain(status);
  return kUsage;
}

/// Whether text, JSON or CSV is asked for: an export alone prints nothing.
bool wants_text(const Options& options) {
  if (options.format == Format::kHtml) return false;
  const bool alone = options.exports.empty() && options.otlp.empty();
  return alone || !options.output.empty() || options.format != Format::kText || !options.all_analyses;
}

std::string render(const Options& options, std::vector<Table> tables, const Inputs& inputs,
                   const std::string& finding) {
  ReportOptions report = report_options(options);
  report.finding = finding;
  std::vector<ReportInput> described = options.diff ? describe_input(inputs.base.trace) : std::vector<ReportInput>();
  for (ReportInput& input : described) input.side = "base";
  for (ReportInput& input : describe_input(inputs.input.trace)) {
    if (options.diff) input.side = "new";
    described.push_back(std::move(input));
  }
  switch (options.format) {
    case Format::kJson:
      return render_json(std::move(tables), described, report);
    case Format::kCsv:
      return render_csv(std::move(tables), report);
    case Format::kText:
    case Format::kHtml:
      break;
  }
  return render_text(std::move(tables), report);
}

Status check_conditions(const Options& options, const Study& study, ComparisonTables* comparisons, Outcome* outcome) {
  for (const Condition& condition : options.fail_if) {
    Status status = check_condition(condition, study, comparisons, &outcome->checks.emplace_back());
    if (!status.ok()) return status;
  }
  return {};
}

/// A line for each row that made a condition hold, or that could not be judged.
ExitCode tell_failures(const Options& options, const Outcome& outcome) {
  constexpr size_t kLines = 20;
  ExitCode code = kDone;
  for (size_t i = 0; i < outcome.checks.size(); ++i) {
    const FailCheck& check = outcome.checks[i];
    const auto tell = [&](const char* verdict, const std::vector<std::string>& rows) {
      for (size_t row = 0; row < std::min(rows.size(), kLines); ++row) {
        std::fprintf(stderr, "xsp-report: --fail-if '%s' %s: %s\n", printable(options.fail_if[i].text).c_str(), verdict,
                     printable(rows[row]).c_str());
      }
      if (rows.size() > kLines) std::fprintf(stderr, "… and in %zu more rows\n", rows.size() - kLines);
    };
    tell("holds", check.holds);
    tell("cannot be judged", check.unknown);
    if (!check.holds.empty()) code = kFails;
    if (!check.unknown.empty() && code == kDone) code = kLacksData;
  }
  return code;
}

Status make_report(const Options& options, const Inputs& inputs, Outcome* outcome) {
  const Study& study = *inputs.input.study;
  outcome->lacks_data = is_incomplete(study.trace);
  if (Status status = check_conditions(options, study, nullptr, outcome); !status.ok()) return status;
  if (options.summary) {
    outcome->text = render_summary(study);
    return {};
  }
  Report& report = outcome->report;
  for (const Analysis* analysis : options.analyses) {
    if (options.all_analyses && analysis->has_several != nullptr && !analysis->has_several(study)) continue;
    const Table& table = report.tables.emplace_back(run_analysis(*analysis, study));
    outcome->lacks_data |= table.lacks_data && !options.all_analyses;
    if (outcome->contradiction.empty()) outcome->contradiction = table.contradiction;
  }
  report.header = report_header(study);
  report.findings = findings(study, report.tables);
  if (wants_text(options)) outcome->text = render(options, report.tables, inputs, "");
  return {};
}

Status make_comparison(const Options& options, const Inputs& inputs, Outcome* outcome) {
  const Comparison comparison = compare(*inputs.base.study, *inputs.input.study);
  ComparisonTables comparisons(comparison);
  outcome->lacks_data = is_incomplete(inputs.base.trace) || is_incomplete(inputs.input.trace);
  if (Status status = check_conditions(options, comparison.fresh, &comparisons, outcome); !status.ok()) return status;
  std::vector<Table> tables;
  for (const Analysis* analysis : options.analyses) {
    tables.push_back(comparisons.of(analysis->id));
    outcome->lacks_data |= tables.back().lacks_data && !options.all_analyses;
  }
  outcome->text = render(options, std::move(tables), inputs, finding_of(comparisons));
  return {};
}

void tell_written(const Options& options, const std::string& path, uint64_t bytes) {
  if (options.quiet || path == "-") return;
  std::fprintf(stderr, "xsp-report: wrote %s (%.1f kB)\n", printable(path).c_str(), static_cast<double>(bytes) / 1e3);
}

Status write_export(const Options& options, const ExportRequest& request, const ExportInput& input, bool* broken_pipe) {
  if (request.exporter->write_file != nullptr) return request.exporter->write_file(input, request.path);
  ByteSink sink(request.path);
  if (Status status = request.exporter->write(input, &sink); !status.ok()) {
    sink.abandon();
    return status;
  }
  const Status status = sink.finish();
  *broken_pipe = sink.broken_pipe();
  if (status.ok()) tell_written(options, request.path, sink.written());
  return status;
}

/// The page and the exports.
Status write_files(const Options& options, const Inputs& inputs, const Report& report, bool* broken_pipe) {
  if (options.format == Format::kHtml) {
    ByteSink sink(options.output);
    write_html(report, inputs.input, {}, &sink);
    if (Status status = sink.finish(); !status.ok()) {
      *broken_pipe = sink.broken_pipe();
      return status;
    }
    tell_written(options, options.output, sink.written());
  }
  const std::vector<ReportInput> described = describe_input(inputs.input.trace);
  const ExportInput input{.analysed = inputs.input,
                          .inputs = described,
                          .report = [&]() -> const Report& { return report; },
                          .with_command = !options.redact};
  for (const ExportRequest& request : options.exports) {
    if (Status status = write_export(options, request, input, broken_pipe); !status.ok()) return status;
  }
  if (!options.otlp.empty()) return send_spans(options, input);
  return {};
}

}  // namespace

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);

  Options options;
  std::string text;
  Status status;
  switch (parse_options(argc, argv, &options, &text, &status)) {
    case Request::kUsageError:
      complain(status);
      return kUsage;
    case Request::kPrint: {
      bool broken_pipe = false;
      return write_output("", text, &broken_pipe).ok() ? kDone : kNoOutput;
    }
    case Request::kReport:
      break;
  }

  Inputs inputs;
  const std::span<const std::string> traces = options.traces;
  const size_t bases = options.diff ? 1 : 0;
  for (const auto& [paths, input] :
       {std::pair(traces.first(bases), &inputs.base), std::pair(traces.subspan(bases), &inputs.input)}) {
    if (paths.empty()) continue;
    if (const ExitCode read = read_input(options, paths, input); read != kDone) return read;
  }
  const std::vector<ModelSweep> sweeps = model_sweeps(*inputs.input.study);
  if (status = check_baseline(options.study.baseline, sweeps); !status.ok()) {
    complain(status);
    return kUsage;
  }
  Outcome outcome;
  status = options.diff ? make_comparison(options, inputs, &outcome) : make_report(options, inputs, &outcome);
  if (!status.ok()) {
    complain(status);
    return kUsage;
  }

  bool broken_pipe = false;
  status = write_files(options, inputs, outcome.report, &broken_pipe);
  if (status.ok() && (wants_text(options) || options.summary)) {
    status = write_output(options.output, outcome.text, &broken_pipe);
  }
  if (!status.ok()) {
    if (!broken_pipe) complain(status);
    return kNoOutput;
  }
  if (!outcome.contradiction.empty()) {
    complain({outcome.contradiction, "the report is wrong, not the trace: please tell us, with the trace"});
    return kContradiction;
  }
  if (const ExitCode failed = tell_failures(options, outcome); failed != kDone) return failed;
  return options.strict && outcome.lacks_data ? kLacksData : kDone;
}

}  // namespace xsp::analysis

int main(int argc, char** argv) { return xsp::analysis::run(argc, argv); }
