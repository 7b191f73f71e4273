#include "inject/launch/experiment/set_launch.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "inject/launch/counters/counter_announcement.h"
#include "inject/launch/counters/counter_probe.h"
#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/experiment/set_message.h"
#include "inject/launch/experiment/set_runner.h"
#include "inject/launch/options/exit_codes.h"
#include "inject/launch/run/captured_output.h"
#include "inject/launch/run/end_message.h"
#include "inject/launch/run/sent_trace.h"

namespace xsp::launch {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// The level sets, without the kernel level where there is no device, unless the user asks for it.
std::vector<std::string> levels_of(const Options& options) {
  if (!options.leveled) return {options.level};
  std::vector<std::string> levels = level_sets_to(options.level);
  if (!options.level.empty() || has_cuda_device()) return levels;
  levels.pop_back();
  if (!options.quiet) {
    print_lines(
        {"xsp: no NVIDIA driver or device here: the level set M/L/library/G is left out (--level kernel asks "
         "for it all the same)"});
  }
  return levels;
}

bool counts(const Options& options) {
  if (options.metrics.empty()) return false;
  const CounterAnnouncement announcement = announce_counters(options);
  if (!options.quiet) print_lines(announcement.lines);
  return announcement.has_device;
}

int exit_as(const RunResult& result) {
  const int signal = result.ending.by_signal ? result.ending.code : result.interrupted_by;
  if (signal != 0) {
    die_by_signal(signal);
    return 128 + signal;
  }
  return result.ending.succeeded() ? kExitOwnFailure : result.ending.code;
}

}  // namespace

int launch_set(const Options& options) {
  if (!options.otlp.empty()) {
    if (const Status status = check_otlp(options.otlp, find_install_layout()); !status.ok())
      return report_failure(status);
  }
  SetOptions set;
  set.recording = options;
  set.input_file = options.input;
  set.prepare = options.prepare;
  set.show_output = true;
  SetRunner runner(set);
  if (const Status status = runner.open(options.command); !status.ok()) return report_failure(status);

  const RunPlan plan = {.levels = levels_of(options),
                        .repetitions = options.runs,
                        .warm_ups = options.warm_ups,
                        .serialised = options.resolve,
                        .counting = counts(options)};
  const std::vector<PlannedRun> runs = planned_runs(plan, {{options.command, {}, 0}});
  runner.add(runs);

  const auto begin = Clock::now();
  const double limit = static_cast<double>(options.time_limit_ns) / 1e9;
  std::vector<PlannedRun> measured;
  std::string stopped_by;
  RunResult result;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (limit > 0 && i > 0 && seconds_since(begin) > limit) {
      stopped_by = "--time-limit";
      runner.drop_planned(stopped_by);
      print_lines({fmt::format("xsp: stopped by --time-limit: {} of {} runs were made", i, runs.size())});
      break;
    }
    runner.run_next(&result);
    if (result.interrupted)
      stopped_by = fmt::format("interrupted by signal {}", result.interrupted_by);
    else if (!result.problem.empty())
      stopped_by = result.problem;
    if (!stopped_by.empty()) {
      // The output of the first recorded run has been shown already.
      print_lines(stop_message(result, runs[i].purpose == RunPurpose::kWarmUp || !measured.empty()));
    }
    if (result.is_whole()) measured.push_back(runs[i]);
    if (!stopped_by.empty()) break;
  }
  // Before the message: its summary comes from xsp-report, which reads the index.
  runner.close(stopped_by);
  const bool stopped = !result.good();
  if (!options.quiet || stopped) {
    print_lines(set_end_message({.folder = runner.folder(),
                                 .report = runner.report(),
                                 .measured = measured,
                                 .seconds = seconds_since(begin),
                                 .summary = options.quiet ? Summary::kNone : options.summary}));
  }
  if (options.summary == Summary::kFull && !measured.empty() && !runner.report().empty()) {
    const auto text = captured_output({runner.report(), "-a", "all", runner.folder()}, false);
    if (text) std::fputs(text->c_str(), stderr);
  }
  if (!options.otlp.empty() && !measured.empty()) {
    send_trace(runner.report(), runner.folder(), options.otlp, options.quiet);
  }
  return stopped ? exit_as(result) : 0;
}

}  // namespace xsp::launch
