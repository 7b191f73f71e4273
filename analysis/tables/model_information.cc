#include "analysis/tables/model_information.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/study/iteration_study.h"
#include "analysis/study/process_labels.h"
#include "analysis/study/step_study.h"
#include "analysis/study/study.h"
#include "analysis/study/sweep_points.h"
#include "analysis/tables/confidence.h"
#include "analysis/tables/continuous_notes.h"
#include "analysis/tables/evaluation_memory.h"
#include "analysis/tables/evaluation_modes.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/model_sweeps.h"
#include "analysis/tables/optimal_batch.h"
#include "analysis/tables/study_notes.h"
#include "analysis/tables/sweep_columns.h"
#include "analysis/tables/sweep_notes.h"
#include "analysis/tables/table.h"
#include "base/text_encoding.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// What latency_ms is, and why it may be more than the step; nothing of single steps, which need no statistic.
/// `latencies`: of the study's groups.
std::string latency_note(const Study& study, const std::vector<GroupLatency>& latencies) {
  if (study.options.per_trace)
    return "latency is the total of all steps or calls, warm-up included; spread is that of one of them";
  size_t most = 0;
  bool outlasts_period = false;
  std::string_view noun;
  for (size_t i = 0; i < latencies.size(); ++i) {
    const GroupLatency& latency = latencies[i];
    most = std::max<size_t>(most, latency.n);
    outlasts_period |= latency.period.overlaps && latency.period.ns && latency.ns > *latency.period.ns;
    const std::string_view own = evaluation_noun(study, study.evaluations.groups[study.groups[i]]);
    noun = noun.empty() || noun == own ? own : "call";
  }
  if (most < 2) return {};
  std::string note = fmt::format("latency_ms: {} of n {}s", study.options.statistic.description(), noun);
  if (outlasts_period) {
    note += fmt::format(", each up to the end of its last {}; steps overlap, so it may exceed period_ms",
                        study.latencies.has_kernels ? "kernel" : "operator");
  }
  return note + "; spread is the interquartile range";
}

/// The sweeps of the subject's model: its own first, then those at other points of the parameters but the batch size.
std::vector<ModelSweep> sweeps_of_subject(const Study& study) {
  std::vector<ModelSweep> sweeps = model_sweeps(study);
  const auto own = std::find_if(sweeps.begin(), sweeps.end(), [&](const ModelSweep& sweep) {
    return std::find(sweep.groups.begin(), sweep.groups.end(), *study.subject) != sweep.groups.end();
  });
  if (own == sweeps.end()) return {};
  std::vector<ModelSweep> found = {std::move(*own)};
  sweeps.erase(own);
  for (ModelSweep& sweep : sweeps) {
    if (!sweep.set.empty() && is_at_another_point(sweep, found.front())) found.push_back(std::move(sweep));
  }
  return found;
}

/// Fields of one sweep; nothing where it has a single batch size.
std::optional<Extra> optimum_of(const Study& study, const ModelSweep& sweep, std::vector<std::string>* notes) {
  const std::vector<SweptBatch> swept = swept_batches(study, sweep);
  if (swept.size() < 2) return {};
  std::vector<BatchThroughput> batches;
  for (const SweptBatch& batch : swept) batches.push_back(batch.throughput);
  Extra extra = optimal_batch(batches, study.options.optimal, sweep_label(sweep), notes);
  for (std::string& note : uncertain_rise_notes(study, swept)) notes->push_back(std::move(note));
  if (sweep.mode != Mode::kUnknown) extra.fields.emplace_back("mode", std::string(mode_word(sweep.mode)));
  return extra;
}

void add_optimal_batch(const Study& study, Table* table) {
  const std::vector<ModelSweep> sweeps = sweeps_of_subject(study);
  bool has_optimum = false;
  Extra own{"optimal_batch", {{"rule", {}}, {"max", {}}}};
  std::vector<Extra> others;
  for (const ModelSweep& sweep : sweeps) {
    auto extra = optimum_of(study, sweep, &table->notes);
    if (!extra) continue;
    has_optimum = true;
    if (&sweep == &sweeps.front()) {
      own = std::move(*extra);
    } else {
      extra->name += " at " + printable(sweep.point);
      others.push_back(std::move(*extra));
    }
  }
  table->extras.push_back(std::move(own));
  for (Extra& extra : others) table->extras.push_back(std::move(extra));
  if (std::string note = best_point_note(study, sweeps); !note.empty()) {
    table->notes.push_back(std::move(note));
  } else if (!has_optimum) {
    table->notes.emplace_back(
        "the optimal batch size needs several batch sizes of one model: record each, then run xsp-report TRACE TRACE…");
  }
  for (const RunSet& set : study.trace.sets) {
    for (const std::string& point : set.out_of_memory) {
      table->notes.push_back("out of memory: " + point + " (set " + set.folder + ")");
    }
  }
}

/// With how many threads evaluations were computed, and by whose choice.
void set_threads(const Table& table, const EvaluationThreads& threads, TableRow* row) {
  if (!table.has(kA1.threads)) return;
  if (threads.threads != 0) row->set(kA1.threads, count_cell(threads.threads));
  switch (threads.setting) {
    case ThreadCountsSetting::kOwn:
      row->set(kA1.setting, std::string("own"));
      break;
    case ThreadCountsSetting::kProbe:
      row->set(kA1.setting, std::string("probe"));
      break;
    case ThreadCountsSetting::kAdvised:
      row->set(kA1.setting, std::string("advised"));
      break;
    case ThreadCountsSetting::kUnspecified:
      break;
  }
}

/// Columns of the sweep, behind all others.
void add_points(const Study& study, Table* table) {
  SweepColumns points(study);
  points.append_columns(table);
  for (size_t i = 0; i < study.groups.size(); ++i) {
    points.set_cells(&study.evaluations.groups[study.groups[i]], i, table);
  }
}

}  // namespace

Table model_information(const Study& study) {
  Table table = make_table(kA1, study);
  bool lacks_batch = false;
  bool lacks_period = false;
  std::vector<GroupLatency> latencies;
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    const GroupLatency& latency = latencies.emplace_back(latency_of(study, group));
    const auto inputs = inputs_of(study, group, latency.n);
    lacks_batch |= !inputs;
    lacks_period |= inputs.has_value() && !latency.throughput_ns();
    TableRow row = table.add_row();
    row.set(kA1.batch_size, batch_size_cell(study, group));
    row.set(kA1.latency_ms, cell(latency.ns / kNsPerMs));
    if (inputs) row.set(kA1.latency_per_input_ms, cell(latency.ns / kNsPerMs / *inputs));
    row.set(kA1.throughput_per_s, cell(latency.throughput_per_s(inputs)));
    row.set(kA1.n, count_cell(latency.n));
    row.set(kA1.spread, cell(latency.spread_ns / kNsPerMs));
    row.set(kA1.model, model_label(study.trace, group));
    if (group.input != 0) row.set(kA1.input, std::string(study.trace.text(group.input)));
    row.set(kA1.process, process_label(study.trace, group));
    if (latency.period.ns) row.set(kA1.period_ms, cell(*latency.period.ns / kNsPerMs));
    if (!study.options.per_trace) row.set(kA1.throughput_of, std::string(name_of(latency.period.of)));
    if (table.has(kA1.host_ms)) {
      auto host = host_latencies(study, used_evaluations(study, group));
      const double ns = study.options.per_trace ? std::accumulate(host.begin(), host.end(), 0.0)
                                                : evaluate(study.options.statistic, host);
      row.set(kA1.host_ms, cell(ns / kNsPerMs));
    }
    set_threads(table, group.threads, &row);
    if (table.has(kA1.gpu)) row.set(kA1.gpu, text_cell(gpus_of(study, group)));
  }
  add_phases(study, &table);
  add_memory(study, &table);
  leave_out_empty_columns(&table);
  const std::vector<Interval> intervals = model_intervals(study);
  if (std::string note = failed_note(study); !note.empty()) table.notes.push_back(std::move(note));
  if (std::string note = construction_note(study); !note.empty()) table.notes.push_back(std::move(note));
  if (table.rows.empty()) {
    table.notes.push_back(no_layers_note(study));
    table.lacks_data = true;
    return table;
  }
  if (std::string note = latency_note(study, latencies); !note.empty()) table.notes.push_back(std::move(note));
  const std::string sampling = sampling_note(study, true);
  if (!sampling.empty()) {
    table.notes.push_back(sampling);
  } else if (std::string note = set_note(study); !note.empty()) {
    table.notes.push_back(std::move(note));
  }
  for (std::string& note : divergence_notes(study, {Level::kModel})) table.notes.push_back(std::move(note));
  if (std::string note = warm_up_note(study); !note.empty()) table.notes.push_back(std::move(note));
  add_intervals(study, intervals, kA1.ci_low_ms, kA1.ci_high_ms, &table);
  add_points(study, &table);
  if (std::string note = wide_interval_note(study, intervals); !note.empty()) table.notes.push_back(std::move(note));
  if (std::string note = device_latency_note(study); !note.empty()) table.notes.push_back(std::move(note));
  if (std::string note = iteration_latency_note(study); !note.empty()) table.notes.push_back(std::move(note));
  if (std::string note = start_up_note(study); !note.empty()) table.notes.push_back(std::move(note));
  if (std::string note = role_note(study); !note.empty()) table.notes.push_back(std::move(note));
  for (std::string& note : training_notes(study)) table.notes.push_back(std::move(note));
  if (lacks_batch) {
    table.notes.emplace_back(
        "batch_size is unknown where the input's shape was not recorded or does not begin with it");
    table.lacks_data = true;
  }
  if (lacks_period) {
    table.notes.emplace_back(
        "throughput is computed from the steps' period (begin to begin), which takes at least three steps");
    table.lacks_data = true;
  }
  if (std::string note = inputs_note(study); !note.empty()) table.notes.push_back(std::move(note));
  if (std::string note = own_profiler_note(study); !note.empty()) table.notes.push_back(std::move(note));
  add_optimal_batch(study, &table);
  for (std::string& note : loss_notes(study)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
