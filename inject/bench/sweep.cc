#include "inject/bench/sweep.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "inject/bench/batch_doubling.h"
#include "inject/bench/command_template.h"
#include "inject/bench/set_report.h"
#include "inject/bench/sweep_runs.h"
#include "inject/bench/threads_sweep.h"
#include "inject/launch/counters/counter_announcement.h"
#include "inject/launch/counters/counter_probe.h"
#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/experiment/set_runner.h"
#include "inject/launch/options/exit_codes.h"
#include "inject/launch/run/command_lookup.h"
#include "inject/launch/run/signal_inbox.h"

namespace xsp::bench {
namespace {

using launch::RunPlan;
using launch::RunPoint;

constexpr const char* kProgram = "xsp-bench";

std::vector<RunPoint> run_points(const Options& options) {
  std::vector<RunPoint> points;
  for (const launch::Parameters& point : sweep_points(options.parameters)) points.push_back(run_point(options, point));
  return points;
}

/// A program that is itself a parameter is looked for under all of its names.
Status check_commands(const std::vector<RunPoint>& points) {
  std::string checked;
  for (const RunPoint& point : points) {
    if (point.command[0] == checked) continue;
    checked = point.command[0];
    if (Status status = launch::check_command(point.command); !status.ok()) return status;
  }
  return {};
}

/// The latencies of A1 are those of the model level, the kernels of A15 those of the kernel level.
std::vector<std::string> levels_of(const Options& options) {
  if (!options.recording.level.empty()) return {options.recording.level};
  // Curves are those of the model and of its layers.
  if (options.threads) return {"model", "layer"};
  const bool has_device = launch::has_cuda_device();
  std::vector<std::string> levels = options.leveled ? launch::level_sets_to("") : std::vector<std::string>{"model"};
  if (options.leveled && !has_device) levels.pop_back();
  if (!options.leveled && has_device) levels.emplace_back("kernel");
  return levels;
}

RunPlan plan_of(const Options& options) {
  RunPlan plan = {.levels = levels_of(options), .repetitions = options.runs, .warm_ups = options.warm_ups};
  if (options.recording.metrics.empty()) return plan;
  const launch::CounterAnnouncement announcement = launch::announce_counters(options.recording);
  for (const std::string& line : announcement.lines) {
    if (!options.recording.quiet) fmt::print(stderr, "{}\n", terminal_text(line));
  }
  plan.counting = announcement.has_device;
  return plan;
}

std::vector<std::string> choices_of_report(const Options& options, const ThreadRange& range) {
  std::vector<std::string> choices = options.threads ? report_choices(options, range) : std::vector<std::string>();
  if (!options.optimal.empty()) choices.insert(choices.end(), {"--optimal", options.optimal});
  if (!options.statistic.empty()) choices.insert(choices.end(), {"--stat", options.statistic});
  return choices;
}

/// One core, and a program that has one thread: nothing can be compared.
bool is_single(const ThreadRange& range) { return range.last == 1 && range.own <= 1; }

void announce(const Options& options, const RunPlan& plan, size_t points) {
  for (const std::string& name : unknown_names(options.recording.command, options.parameters)) {
    if (name == "run") continue;  // the number of the run, as in xsp-run
    say(options, fmt::format("warning: {{{}}} is no parameter of the sweep and stays as it is", name));
  }
  const std::string each =
      fmt::format("{}, {}{}", plural(plan.levels.size(), "level set"), plural(plan.repetitions, "repetition"),
                  plan.counting ? ", and a counting run of each point" : "");
  if (options.threads) return;
  if (options.automatic) {
    say(options, fmt::format("{} is doubled from {}; of each point {}", options.parameters[0].name,
                             options.parameters[0].values[0], each));
    return;
  }
  const size_t runs = points * (plan.levels.size() * plan.repetitions + plan.warm_ups + (plan.counting ? 1 : 0));
  say(options, fmt::format("{}, {}: {}", plural(points, "point"), each, plural(runs, "run")));
  if (points == 1) say(options, "warning: one point: it is measured, and there is no optimum to find among others");
}

void announce_threads(const Options& options, const RunPlan& plan, const ThreadRange& range) {
  if (is_single(range)) {
    say(options, "one core can be used: there is nothing to choose, and one point is measured");
    return;
  }
  if (range.last > range.usable) {
    say(options,
        fmt::format("warning: --max {} is more than the {} that can be used: beyond that threads wait for each "
                    "other",
                    range.last, plural(range.usable, "core")));
  }
  size_t runs = 0;
  for (size_t stage = 0; stage + 1 < std::max<size_t>(range.climbed.size(), 2); ++stage) {
    runs += stage_counts(range, stage).size() * plan.levels.size() * plan.repetitions;
  }
  say(options, fmt::format("{} from 1 to {}, and the program as it is (threads={}): {}{}",
                           options.inter ? "operators side by side" : "threads", range.last, range.own,
                           options.validate ? "" : "at most ", plural(runs, "run")));
}

bool print_tables(const Options& options, const ThreadRange& range, const SetReport& report) {
  if (!options.threads || is_single(range)) return report.print(options.json, options.csv);
  return report.print_threads(options.json, options.csv);
}

}  // namespace

int sweep(const Options& options) {
  const auto fails = [](const Status& failure) { return launch::report_failure(failure, kProgram); };
  const std::vector<RunPoint> points = run_points(options);
  if (const Status status = check_commands(points); !status.ok()) return fails(status);
  if (const Status status = check_export("--export-json", options.json); !status.ok()) return fails(status);
  if (const Status status = check_export("--export-csv", options.csv); !status.ok()) return fails(status);
  launch::SetRunner runner({.recording = options.recording,
                            .program = kProgram,
                            .input_file = options.input_file,
                            .prepare = options.prepare,
                            .show_output = options.show_output});
  std::vector<std::string> command = options.recording.command;
  command[0] = points[0].command[0];
  if (const Status status = runner.open(command); !status.ok()) return fails(status);
  const RunPlan plan = plan_of(options);
  announce(options, plan, points.size());
  const ThreadRange range = options.threads ? thread_range(options) : ThreadRange();
  if (options.threads) announce_threads(options, plan, range);

  SweepRuns runs(options, &runner);
  const SetReport report(runner.report(), runner.folder(), choices_of_report(options, range));
  Status status;
  if (options.threads) {
    status = run_threads(options, plan, range, report, &runs);
  } else if (options.automatic) {
    status = run_doubling(options, plan, report, &runs);
  } else {
    runs.add(launch::planned_runs(plan, points));
    runs.run_all();
  }
  runner.close(status.ok() ? runs.stopped_by() : status.error);

  int exit_code = runs.exit_code();
  if (!status.ok()) exit_code = fails(status);
  if (runs.measured() == 0) {
    fmt::print(stderr, "xsp: nothing was measured; what the command printed is in {}\n",
               terminal_text(runner.folder()));
  } else {
    say(options, fmt::format("wrote {}: {}", runner.folder(), plural(runs.measured(), "run")));
  }
  if (runs.measured() > 0 && !print_tables(options, range, report) && exit_code == 0) {
    exit_code = launch::kExitOwnFailure;
  }
  if (runs.interrupted_by() != 0) launch::die_by_signal(runs.interrupted_by());
  return exit_code;
}

}  // namespace xsp::bench
