/// The part of Q1 that continuous recordings add to, and what recording costs.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/statistics/bootstrap.h"
#include "analysis/study/level_profile.h"
#include "analysis/study/process_labels.h"
#include "analysis/tables/continuous_notes.h"
#include "analysis/tables/quality_rows.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// As the processes measured it themselves, over all that did.
struct OwnCost {
  double wall_ns = 0;
  double cpu_ns = 0;  // of the program, without XSP
  double hooks_ns = 0;
  double calls_ns = 0;   // sampled calls took so much longer; with what hooks cannot see of themselves
  double inside_ns = 0;  // the larger of both, by process
  double threads_ns = 0;
  double timed = 0;

  double ns() const { return inside_ns + threads_ns; }
};

OwnCost own_cost(const Study& study) {
  OwnCost cost;
  for (uint32_t i = 0; i < study.trace.processes.size(); ++i) {
    const auto& overhead = study.trace.processes[i].overhead;
    if (!overhead || !is_process_under_study(study, i)) continue;
    const auto inside = static_cast<double>(std::max(overhead->hooks_ns, overhead->calls_ns));
    const double own = inside + static_cast<double>(overhead->threads_ns);
    cost.inside_ns += inside;
    cost.calls_ns += static_cast<double>(overhead->calls_ns);
    cost.wall_ns += static_cast<double>(overhead->wall_ns);
    cost.cpu_ns += std::max(0.0, static_cast<double>(overhead->cpu_ns) - own);
    cost.hooks_ns += static_cast<double>(overhead->hooks_ns);
    cost.threads_ns += static_cast<double>(overhead->threads_ns);
    cost.timed += static_cast<double>(overhead->hooks_timed);
  }
  return cost;
}

/// Without Overhead in the trace: what the collector knows of XSP's own thread.
void add_thread_overhead(const Trace& trace, QualityRows* rows) {
  double cpu = 0;
  double wall = 0;
  for (const Process& process : trace.processes) {
    if (process.guest_cpu_ns == 0 || process.end_ns <= process.start_ns) continue;
    cpu += static_cast<double>(process.guest_cpu_ns);
    wall += static_cast<double>(process.end_ns - process.start_ns);
  }
  rows->add("overhead_pct", "all", wall > 0 ? cell(100 * cpu / wall) : Cell(),
            wall > 0 ? "CPU time of XSP's own thread, as a share of the process time; to measure the cost inside the "
                       "program's threads, time the command with and without xsp-run"
                     : "not measured: time the command with and without xsp-run");
}

std::string label_of(const Study& study, const EvaluationGroup& group) {
  std::string label = model_label(study.trace, group);
  if (group.input != 0) label += fmt::format(", input {}", study.trace.text(group.input));
  const bool several = std::any_of(study.groups.begin(), study.groups.end(), [&](uint32_t other) {
    return study.evaluations.groups[other].process != group.process;
  });
  return several ? label + ", " + process_label(study.trace, group.process) : label;
}

RunValues latencies_of(const Study& study, const EvaluationGroup& group, const LevelSet& set) {
  RunValues values;
  for (const auto& run : used_of_runs(study, group, set.runs)) values.push_back(evaluation_latencies(study, run));
  return values;
}

/// What the deeper levels cost a model: calls that were recorded in full against those that were not.
void add_level_overhead(const Study& study, const EvaluationGroup& group, QualityRows* rows) {
  if (sampled_calls(group).shallow == 0) return;
  const std::vector<LevelSet> sets = timing_sets(study, group);
  if (sets.size() < 2) return;
  const RunValues shallow = latencies_of(study, group, sets.front());
  const RunValues full = latencies_of(study, group, sets.back());
  const double before = evaluate(study.options.statistic, shallow);
  const double overhead = evaluate(study.options.statistic, full) - before;
  if (!(before > 0) || std::isnan(overhead)) return;
  const Interval interval = bootstrap_difference(study.options.statistic, shallow, full);
  std::string note = fmt::format("{}: latency of {} calls recorded in full compared with {} others ({:+.4g} ms",
                                 label_of(study, group), grouped_digits(count_of(full)),
                                 grouped_digits(count_of(shallow)), overhead / kNsPerMs);
  if (is_known(interval)) {
    note += fmt::format(", 95 % interval {:+.3g} to {:+.3g} %{}", 100 * interval.low / before,
                        100 * interval.high / before, excludes_zero(interval) ? "" : ": not distinguishable from zero");
  }
  rows->add("overhead_pct", "model", cell(100 * overhead / before), note + ")");
}

}  // namespace

void add_overhead(const Study& study, QualityRows* rows) {
  const OwnCost cost = own_cost(study);
  if (cost.cpu_ns > 0) {
    std::string note = fmt::format("self-measured: {:.4g} s in XSP's hooks (from {} that were timed)",
                                   cost.hooks_ns / kNsPerSecond, grouped_digits(static_cast<uint64_t>(cost.timed)));
    if (cost.calls_ns > 0) {
      note += fmt::format(", {:.4g} s by which sampled calls took longer than the following ones (the larger of both)",
                          cost.calls_ns / kNsPerSecond);
    }
    note += fmt::format(
        " and {:.4g} s CPU time of its threads, as a share of the {:.4g} s CPU time of the program without them",
        cost.threads_ns / kNsPerSecond, cost.cpu_ns / kNsPerSecond);
    rows->add("overhead_pct", "all", cell(100 * cost.ns() / cost.cpu_ns), std::move(note));
    rows->add("overhead_of_wall_pct", "all", cost.wall_ns > 0 ? cell(100 * cost.ns() / cost.wall_ns) : Cell(),
              cost.wall_ns > 0 ? fmt::format("the same over the {:.4g} s that the processes ran; with several threads "
                                             "at work it may be above what the program is slower",
                                             cost.wall_ns / kNsPerSecond)
                               : "");
  } else {
    add_thread_overhead(study.trace, rows);
  }
  if (study.options.per_trace) return;
  for (const uint32_t group : study.groups) add_level_overhead(study, study.evaluations.groups[group], rows);
}

void add_continuous_rows(const Study& study, QualityRows* rows) {
  const Trace& trace = study.trace;
  uint64_t removed = 0;
  bool has_parts = false;
  for (const Segment& segment : trace.segments) {
    if (!segment.parts) continue;
    has_parts = true;
    removed +=
        segment.parts->missing_before() - std::min(segment.parts->missing_before(), segment.parts->not_asked_for);
  }
  if (has_parts) {
    rows->add("parts_removed", "all", count_cell(removed),
              removed == 0 ? "" : "before the first part in the trace: removed for --max-size, or not given");
  }
  uint64_t seen = 0;
  uint64_t recorded = 0;
  for (const Process& process : trace.processes) {
    if (!process.sampling) continue;
    seen += process.sampling->seen;
    recorded += process.sampling->recorded;
  }
  if (seen != 0 && recorded != seen) {
    rows->add("sampled", "model", count_cell(recorded),
              fmt::format("model calls recorded in full since the processes began, of {}", grouped_digits(seen)));
  }
}

bool is_summed_up(GapReason reason) { return reason == GapReason::kNotStored || reason == GapReason::kNotSampled; }

void add_summed_gaps(const Trace& trace, QualityRows* rows) {
  struct Sum {
    uint64_t times = 0;
    double ns = 0;
    bool goes_on = false;
  };
  std::map<std::pair<GapReason, Level>, Sum> sums;
  for (const Gap& gap : trace.gaps) {
    if (!is_summed_up(gap.reason)) continue;
    Sum& sum = sums[{gap.reason, gap.level}];
    ++sum.times;
    sum.goes_on |= gap.end == 0;
    const int64_t end = gap.end == 0 ? std::max(gap.begin, trace.processes[gap.process].end_ns) : gap.end;
    sum.ns += static_cast<double>(end - gap.begin);
  }
  for (const auto& [key, sum] : sums) {
    rows->add("gap_ms", kLevelNames[static_cast<size_t>(key.second)], cell(sum.ns / kNsPerMs),
              fmt::format("{}, {}{}",
                          key.first == GapReason::kNotStored ? "only counted, to keep within --max-size or --max-rate"
                                                             : "between two samples (--sample)",
                          sum.times == 1 ? "once" : fmt::format("{} times", sum.times),
                          sum.goes_on ? ", the last to the end" : ""));
  }
}

}  // namespace xsp::analysis
