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
#include "analysis/tables/loss_notes.h"
#include "analysis/trace/loader.h"

namespace {

enum ExitCode { kDone = 0, kUsage = 2, kBadInput = 3, kLacksData = 4, kNoOutput = 5 };

void complain(const xsp::Status& status) {
  std::fprintf(stderr, "xsp-report: error: %s\n", xsp::printable(status.error).c_str());
  if (!status.hint.empty()) std::fprintf(stderr, "hint: %s\n", xsp::printable(status.hint).c_str());
}

xsp::ReportOptions report_options(const xsp::Options& options) {
  constexpr size_t kRowsOnTerminal = 20;
  const bool terminal = options.output.empty() && isatty(STDOUT_FILENO) != 0;
  xsp::ReportOptions report;
  size_t top = options.top.value_or(terminal && options.format == xsp::Format::kText ? kRowsOnTerminal : 0);
  report.top = top == 0 ? SIZE_MAX : top;
  winsize window = {};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) report.width = window.ws_col;
  return report;
}

std::vector<xsp::ReportInput> describe_input(const xsp::Trace& trace) {
  std::vector<xsp::ReportInput> inputs;
  for (const xsp::TraceFile& file : trace.files) {
    inputs.push_back({.path = file.path, .complete = file.corrupt_packets == 0 && file.unreadable_bytes == 0});
  }
  for (const xsp::Segment& segment : trace.segments) {
    inputs[segment.file].complete &= segment.ended && segment.complete && segment.spans >= segment.announced_spans;
    inputs[segment.file].spans += segment.spans;
  }
  for (const xsp::Process& process : trace.processes) {
    inputs[trace.segments[process.segment].file].processes += process.said_hello || process.spans != 0 ? 1 : 0;
  }
  return inputs;
}

std::string render(const xsp::Options& options, const xsp::Trace& trace, std::vector<xsp::Table> tables) {
  const xsp::ReportOptions report = report_options(options);
  switch (options.format) {
    case xsp::Format::kJson:
      return xsp::render_json(std::move(tables), describe_input(trace), report);
    case xsp::Format::kCsv:
      return xsp::render_csv(std::move(tables), report);
    case xsp::Format::kText:
      break;
  }
  return xsp::render_text(std::move(tables), report);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);

  xsp::Options options;
  std::string text;
  xsp::Status status;
  switch (xsp::parse_options(argc, argv, &options, &text, &status)) {
    case xsp::Request::kUsageError:
      complain(status);
      return kUsage;
    case xsp::Request::kPrint: {
      bool broken_pipe = false;
      return xsp::write_output("", text, &broken_pipe).ok() ? kDone : kNoOutput;
    }
    case xsp::Request::kReport:
      break;
  }

  xsp::Trace trace;
  for (const std::string& path : options.traces) {
    if (status = xsp::load_path(path, &trace); !status.ok()) {
      complain(status);
      return kBadInput;
    }
  }
  // The summary and the notes of the tables say the same.
  if (!options.quiet && !options.summary) {
    for (const std::string& warning : xsp::input_warnings(trace)) {
      std::fprintf(stderr, "xsp-report: warning: %s\n", xsp::printable(warning).c_str());
    }
  }

  const xsp::Parents parents = xsp::find_parents(trace);
  const xsp::Evaluations evaluations = xsp::find_evaluations(trace, parents);
  std::optional<xsp::Study> study;
  if (status = xsp::make_study(trace, parents, evaluations, options.study, &study); !status.ok()) {
    complain(status);
    return kUsage;
  }

  bool lacks_data = xsp::is_incomplete(trace);
  if (options.summary) {
    text = xsp::render_summary(*study);
  } else {
    std::vector<xsp::Table> tables;
    for (const xsp::Analysis* analysis : options.analyses) {
      tables.push_back(xsp::run_analysis(*analysis, *study));
      lacks_data |= tables.back().lacks_data && !options.all_analyses;
    }
    text = render(options, trace, std::move(tables));
  }

  bool broken_pipe = false;
  if (status = xsp::write_output(options.output, text, &broken_pipe); !status.ok()) {
    if (!broken_pipe) complain(status);
    return kNoOutput;
  }
  return options.strict && lacks_data ? kLacksData : kDone;
}
