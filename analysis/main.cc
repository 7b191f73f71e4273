/// xsp-report: reads traces, builds the timeline, runs the analyses, renders their tables.

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "analysis/cli/options.h"
#include "analysis/cli/output.h"
#include "analysis/render/render.h"
#include "analysis/render/summary.h"
#include "analysis/render/text_encoding.h"
#include "analysis/tables/analysed_trace.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/model_baseline.h"
#include "analysis/trace/loader.h"

namespace xsp::analysis {
namespace {

enum ExitCode { kDone = 0, kUsage = 2, kBadInput = 3, kLacksData = 4, kNoOutput = 5, kContradiction = 6 };

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

std::string render(const Options& options, const Trace& trace, std::vector<Table> tables) {
  const ReportOptions report = report_options(options);
  switch (options.format) {
    case Format::kJson:
      return render_json(std::move(tables), describe_input(trace), report);
    case Format::kCsv:
      return render_csv(std::move(tables), report);
    case Format::kText:
      break;
  }
  return render_text(std::move(tables), report);
}

}  // namespace

int report(int argc, char** argv) {
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

  AnalysedTrace input;
  for (const std::string& path : options.traces) {
    if (status = load_path(path, &input.trace); !status.ok()) {
      complain(status);
      return kBadInput;
    }
  }
  const Trace& trace = input.trace;
  warn(options, trace);
  if (status = analyse(options.roles, options.study, &input); !status.ok()) {
    complain(status);
    return kUsage;
  }
  const std::optional<Study>& study = input.study;

  const std::vector<ModelSweep> sweeps = model_sweeps(*study);
  if (status = check_baseline(options.study.baseline, sweeps); !status.ok()) {
    complain(status);
    return kUsage;
  }

  bool lacks_data = is_incomplete(trace);
  std::string contradiction;
  if (options.summary) {
    text = render_summary(*study);
  } else {
    std::vector<Table> tables;
    for (const Analysis* analysis : options.analyses) {
      if (options.all_analyses && analysis->has_several != nullptr && !analysis->has_several(*study)) continue;
      tables.push_back(run_analysis(*analysis, *study));
      lacks_data |= tables.back().lacks_data && !options.all_analyses;
      if (contradiction.empty()) contradiction = tables.back().contradiction;
    }
    text = render(options, trace, std::move(tables));
  }

  bool broken_pipe = false;
  if (status = write_output(options.output, text, &broken_pipe); !status.ok()) {
    if (!broken_pipe) complain(status);
    return kNoOutput;
  }
  if (!contradiction.empty()) {
    complain({contradiction, "the report is wrong, not the trace: please tell us, with the trace"});
    return kContradiction;
  }
  return options.strict && lacks_data ? kLacksData : kDone;
}

}  // namespace xsp::analysis

int main(int argc, char** argv) { return xsp::analysis::report(argc, argv); }
