/// xsp-report: reads traces, builds the timeline, runs the analyses, renders their tables.

#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>

#include "analysis/cli/browser.h"
#include "analysis/cli/inputs.h"
#include "analysis/cli/messages.h"
#include "analysis/cli/options.h"
#include "analysis/cli/outcome.h"
#include "analysis/cli/side_files.h"
#include "analysis/cli/targets.h"
#include "analysis/cli/written_files.h"
#include "analysis/export/byte_sink.h"
#include "base/log.h"
#include "base/standard_output.h"
#include "base/status.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// Writes a whole report to a file, or to standard output when `path` is empty. `broken_pipe` is set when the reader
/// of standard output went away, which is not worth a message.
Status write_output(const std::string& path, std::string_view text, bool* broken_pipe) {
  ByteSink sink(path.empty() ? "-" : path);
  sink.write(text);
  Status status = sink.finish();
  *broken_pipe = sink.broken_pipe();
  return status;
}

ExitCode print(const std::string& text) {
  const Status status = print_text(text);
  if (status.ok()) return kDone;
  complain(status);
  return kNoOutput;
}

ExitCode write(const Options& options, const Inputs& inputs, Outcome* outcome) {
  bool broken_pipe = false;
  Status status = write_files(options, inputs, outcome, &broken_pipe);
  if (status.ok() && wants_text(options)) {
    // JSON and CSV have names as they are, which terminals cannot take. Text is made for terminals.
    const bool is_raw = options.format != Format::kText && options.output.empty() && isatty(STDOUT_FILENO) != 0;
    status = write_output(options.output, is_raw ? printable_lines(outcome->text) : outcome->text, &broken_pipe);
    status = with_file_hint(status, "-o ");
  }
  if (status.ok() && options.open) status = open_page(options.output);
  if (status.ok()) return kDone;
  if (!broken_pipe) complain(status);
  return kNoOutput;
}

/// Exit code for what was found.
ExitCode judge(const Options& options, const Outcome& outcome) {
  if (!outcome.contradiction.empty()) {
    complain({outcome.contradiction, "the report is wrong, not the trace: please tell us, with the trace"});
    return kContradiction;
  }
  if (const ExitCode failed = tell_failures(options, outcome); failed != kDone) return failed;
  return options.strict && outcome.lacks_data ? kLacksData : kDone;
}

ExitCode run(int argc, char** argv) {
  Options options;
  std::string text;
  Status status;
  const Request request = parse_options(argc, argv, &options, &text, &status);
  if (request == Request::kPrint) return print(text);
  if (request == Request::kUsageError) {
    complain(status);
    return kUsage;
  }

  std::signal(SIGPIPE, SIG_IGN);
  if (status = log::configure("xsp-report", options.log_level, options.log_file); !status.ok()) {
    complain(status);
    return kUsage;
  }

  // A report may take minutes: errors that can be known before are reported before.
  if (status = check_writable(options); !status.ok()) {
    complain(status);
    return kNoOutput;
  }

  Inputs inputs;
  if (status = read_side_files(&options); !status.ok()) {
    complain(status);
    return kBadInput;
  }
  if (const ExitCode read = read_inputs(options, &inputs); read != kDone) return read;

  Outcome outcome;
  if (status = make_outcome(options, inputs, &outcome); !status.ok()) {
    complain(status);
    return kUsage;
  }

  if (const ExitCode written = write(options, inputs, &outcome); written != kDone) return written;
  return judge(options, outcome);
}

}  // namespace
}  // namespace xsp::analysis

int main(int argc, char** argv) { return xsp::analysis::run(argc, argv); }
