#include "inject/launch/concurrency/measuring_run.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/launch/run/log_lines.h"
#include "inject/launch/run/output_name.h"
#include "inject/launch/run/private_folder.h"

namespace xsp::launch {
namespace {

/// A file can be read twice; a terminal or a pipe is left to the second run.
std::string input_for_first() {
  struct stat input = {};
  return fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode) ? kOwnInput : "/dev/null";
}

std::string problem_of(const Recording& recording, const std::string& log) {
  if (!recording.ending.succeeded()) {
    const std::string last = last_line_of(log);
    return fmt::format("the command {}{}{}", how_it_ended(recording.ending), last.empty() ? "" : ": ", last);
  }
  const TraceOutcome& outcome = recording.outcome;
  if (outcome.is_finished()) return {};
  if (outcome.end == PrivateCollector::End::kBackground) return "its trace was not waited for";
  if (outcome.end == PrivateCollector::End::kDied) {
    return fmt::format("xsp-collector ended early ({})", outcome.how_collector_died);
  }
  return "its trace is not complete: " + outcome.status.error;
}

}  // namespace

std::string measured_beside(const std::string& output) {
  constexpr std::string_view kEnd = ".pb";
  const std::string stem = output.ends_with(kEnd) ? output.substr(0, output.size() - kEnd.size()) : output;
  return stem + ".measured.pb";
}

MeasuringRun measure_first(const Options& options, const InstallLayout& layout, const std::string& auditor,
                           const std::function<Status(pid_t, std::string*)>& choose_output, SignalInbox* signals) {
  MeasuringRun run;
  Options measuring = options;
  measuring.concurrency = Concurrency::kMeasure;
  std::string log;
  const auto choose_beside = [&](pid_t pid, std::string* output) {
    if (Status status = choose_output(pid, &run.output); !status.ok()) return status;
    run.trace = measured_beside(run.output);
    *output = run.trace;
    return prepare_output(run.trace, options.force);
  };
  // The name of the log must be known before that of the trace is.
  PrivateFolder folder;
  run.started = folder.create();
  if (!run.started.ok()) return run;
  log = folder.path() + "/measuring.log";
  const Recording recording = record({.options = measuring,
                                      .layout = layout,
                                      .auditor = auditor,
                                      .choose_output = choose_beside,
                                      .overwrite = options.force,
                                      .streams = {input_for_first(), "/dev/null", log}},
                                     signals);
  run.started = recording.started;
  run.ending = recording.ending;
  if (run.started.ok()) run.problem = problem_of(recording, log);
  return run;
}

}  // namespace xsp::launch
