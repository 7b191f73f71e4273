#include "analysis/tables/confidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/units.h"

#include "analysis/study/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {
namespace {

/// Half the width of an interval, as a share of the latency, from which on a reader is warned.
constexpr double kWide = 0.1;

/// Those of `evaluations`, which are in order of their numbers, that are joined.
std::vector<uint32_t> joined_of(const std::vector<uint32_t>& evaluations, const JoinedLayers& layers) {
  std::vector<uint32_t> joined;
  std::copy_if(evaluations.begin(), evaluations.end(), std::back_inserter(joined), [&](uint32_t evaluation) {
    return std::binary_search(layers.joined.begin(), layers.joined.end(), evaluation);
  });
  return joined;
}

double layer_latency_ns(const Study& study, size_t layer) {
  return study.latencies.layers.empty()
             ? static_cast<double>(study.trace.spans.duration(study.evaluations.layers[layer]))
             : static_cast<double>(study.latencies.layers[layer].latency_ns);
}

/// Runs that the latencies of the groups under study are of, at most in one group.
size_t most_runs(const Study& study) {
  size_t most = 0;
  for (const uint32_t group : study.groups) {
    const RunValues runs = latencies_by_run(study, study.evaluations.groups[group]);
    const auto used = std::count_if(runs.begin(), runs.end(), [](const auto& run) { return !run.empty(); });
    most = std::max(most, static_cast<size_t>(used));
  }
  return most;
}

std::string interval_note(const Study& study, const std::vector<Interval>& intervals) {
  const auto known = static_cast<size_t>(std::count_if(intervals.begin(), intervals.end(), is_known));
  const std::string what = fmt::format("{:.0f} % confidence interval of the {} (bootstrap)", 100 * kConfidence,
                                       study.options.statistic.description());
  if (known == 0) {
    const bool are_single = std::all_of(study.groups.begin(), study.groups.end(), [&](const uint32_t group) {
      return used_evaluations(study, study.evaluations.groups[group]).size() < 2;
    });
    if (are_single) return {};
    const auto kind = study.options.statistic.kind;
    const bool extreme = kind == Statistic::Kind::kMin || kind == Statistic::Kind::kMax;
    return fmt::format("no {}: {}", what, extreme ? "resampling cannot estimate it" : "too few calls");
  }
  std::string note = fmt::format("ci_low_ms to ci_high_ms: {}", what);
  if (known < intervals.size()) note += ", unknown where there are too few calls";
  if (most_runs(study) == 1 && !has_imports(study.trace)) {
    note += "; run-to-run variation is not included (use xsp-run --runs 5)";
  }
  return note;
}

}  // namespace

RunValues latencies_by_run(const Study& study, const EvaluationGroup& group) {
  RunValues values;
  for (const auto& run : time_level(study, group, Level::kModel).by_run) {
    values.push_back(evaluation_latencies(study, run));
  }
  return values;
}

std::vector<Interval> model_intervals(const Study& study) {
  std::vector<Interval> intervals;
  if (study.options.per_trace) return intervals;
  for (const uint32_t group : study.groups) {
    intervals.push_back(
        bootstrap_interval(study.options.statistic, latencies_by_run(study, study.evaluations.groups[group])));
  }
  return intervals;
}

std::vector<Interval> layer_intervals(const Study& study) {
  if (study.options.per_trace) return {};
  const LeveledGroup& levels = study.levels;
  const bool by_kernel_set = levels.leveled && levels.layers_outlast_calls;
  const JoinedLayers& joined = by_kernel_set ? levels.kernel_layers : study.joined;
  std::vector<std::vector<uint32_t>> runs;
  for (const auto& run : levels.of_layers().by_run) runs.push_back(joined_of(run, joined));

  std::vector<RunValues> values(joined.layers.size(), RunValues(runs.size()));
  std::vector<double> of_evaluation;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const uint32_t evaluation : runs[run]) {
      layer_values(
          study.evaluations, joined.places, evaluation, [&](size_t layer) { return layer_latency_ns(study, layer); },
          &of_evaluation);
      for (size_t place = 0; place < of_evaluation.size(); ++place) {
        if (of_evaluation[place] != kAbsent) values[place][run].push_back(of_evaluation[place]);
      }
    }
  }
  std::vector<Interval> intervals(study.joined.layers.size());
  for (uint32_t place = 0; place < joined.layers.size(); ++place) {
    const uint32_t index = by_kernel_set ? layer_index_of(levels.kernel_ordinals, place) : place;
    if (index >= intervals.size()) continue;
    intervals[index] =
        bootstrap_interval(study.options.statistic, values[place], study.joined.layers[index].latency_ns);
  }
  return intervals;
}

void add_intervals(const Study& study, const std::vector<Interval>& intervals, const ColumnDefinition& low,
                   const ColumnDefinition& high, Table* table) {
  if (study.options.per_trace) return;
  for (size_t i = 0; i < table->rows.size(); ++i) {
    const Interval interval = i < intervals.size() ? intervals[i] : Interval{};
    TableRow row = table->row(i);
    row.set(low, cell(interval.low / kNsPerMs));
    row.set(high, cell(interval.high / kNsPerMs));
  }
  if (table->rows.empty()) return;
  if (std::string note = interval_note(study, intervals); !note.empty()) table->notes.push_back(std::move(note));
}

std::string wide_interval_note(const Study& study, const std::vector<Interval>& intervals) {
  size_t wide = 0;
  double widest = 0;
  for (const Interval& interval : intervals) {
    const double share = (interval.high - interval.low) / (interval.high + interval.low);
    if (!is_known(interval) || !(share > kWide)) continue;
    ++wide;
    widest = std::max(widest, share);
  }
  if (wide == 0) return {};
  const std::string which =
      intervals.size() == 1 ? "latency_ms is" : fmt::format("latency_ms of {} row{} is", wide, wide == 1 ? "" : "s");
  const std::string known =
      fmt::format("{} known to ± {:.0f} % {}", which, 100 * widest, wide == 1 ? "only" : "at worst");
  if (has_imports(study.trace)) return known + ": record more calls";
  return known +
         ": record more calls or runs (xsp-run --runs 10), with nothing else running and a fixed clock frequency";
}

std::vector<LeftOut> left_out_of(const EvaluationGroup& group, const TimedLevel& level) {
  std::vector<LeftOut> runs;
  for (size_t i = 0; i < level.by_run.size(); ++i) {
    const size_t all = group.runs[level.runs[i]].evaluations.size();
    runs.push_back({all - level.by_run[i].size(), all});
  }
  return runs;
}

std::string warm_up_note(const Study& study) {
  if (study.options.per_trace) return {};
  std::vector<LeftOut> runs;
  size_t most = 0;
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    for (const LeftOut& run : left_out_of(group, time_level(study, group, Level::kModel))) {
      runs.push_back(run);
      most = std::max(most, run.count);
    }
  }
  if (study.groups.size() > 1) {
    if (most == 0) return {};
    return most == 1 ? "warm-up left out: the first of each row with more than two"
                     : fmt::format("warm-up left out: the first calls of each row, {} at most", most);
  }
  return warm_up_note(runs, !study.options.skip);
}

std::vector<std::string> uncertain_rise_notes(const Study& study, const std::vector<SweptBatch>& batches) {
  std::vector<std::string> notes;
  if (study.options.per_trace) return notes;
  const auto latencies = [&](const SweptBatch& batch) {
    return latencies_by_run(study, study.evaluations.groups[batch.group]);
  };
  for (size_t i = 1; i < batches.size(); ++i) {
    const BatchThroughput& from = batches[i - 1].throughput;
    const BatchThroughput& to = batches[i].throughput;
    const double rise = to.throughput_per_s / from.throughput_per_s;
    const double inputs = rise * to.latency_ms / from.latency_ms;
    const Interval ratio = bootstrap_ratio(study.options.statistic, latencies(batches[i]), latencies(batches[i - 1]));
    const std::string note =
        indistinct_note(fmt::format("the rise of throughput from batch size {} to {}", from.batch_size, to.batch_size),
                        rise, {inputs * ratio.low, inputs * ratio.high}, kWorthwhileRise);
    if (!note.empty()) notes.push_back(note + ": another batch size may be optimal");
    if (!(rise > kWorthwhileRise)) break;
  }
  return notes;
}

}  // namespace xsp::analysis
