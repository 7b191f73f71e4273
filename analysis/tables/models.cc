#include "analysis/tables/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/study/convolution_parts.h"
#include "analysis/study/study.h"
#include "analysis/study/sweep_points.h"
#include "analysis/tables/evaluation_modes.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/loss_notes.h"
#include "analysis/tables/model_baseline.h"
#include "analysis/tables/model_sweeps.h"
#include "analysis/tables/study_notes.h"
#include "analysis/tables/sweep_columns.h"
#include "analysis/tables/sweep_notes.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// One group of evaluations, joined as A2 and A15 join theirs.
struct JoinedModel {
  LeveledGroup levels;
  JoinedLayers layers;
  JoinedKernels kernels;
  double model_latency_ns = 0;  // of the evaluations whose kernels are joined, or of its own level set
};

JoinedModel join_model(const Study& study, uint32_t number) {
  JoinedModel model;
  if (!study.options.per_trace && study.subject && *study.subject == number) {
    model.levels = study.levels;
    model.layers = study.joined;
    model.kernels = study.kernels;
  } else {
    model.levels = time_levels(study, study.evaluations.groups[number]);
    model.layers = join_leveled_layers(study, &model.levels);
    model.kernels =
        join_kernels(study.trace, study.executions, Executed::kKernels, model.levels.kernel.used,
                     study.options.statistic, study.metrics, layers_of_kernels(study, model.levels, model.layers));
  }
  const auto& used = model.levels.model.used;
  const bool of_kernels = !model.levels.leveled && !model.kernels.evaluations.empty();
  model.model_latency_ns = joined_model_latency(study, of_kernels ? model.kernels.evaluations : used);
  return model;
}

Cell convolution_pct(const Study& study, const JoinedModel& model) {
  const std::vector<double> parts = convolution_parts(study, model.layers);
  double convolutions = 0;
  double all = 0;
  for (size_t i = 0; i < model.layers.layers.size(); ++i) {
    all += model.layers.layers[i].latency_ns;
    convolutions += parts[i] * model.layers.layers[i].latency_ns;
  }
  return percent(convolutions, all);
}

/// Sums of something over the thirds of a model.
class Stages {
 public:
  void add(size_t layer, size_t layers, double value) {
    if (std::isnan(value)) return;
    sums_[stage_of(layer, layers)] += value;
  }
  /// The stage with most; null where nothing is known.
  Cell most() const {
    const auto found =
        std::max_element(sums_.begin(), sums_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return found == sums_.end() || !(found->second > 0) ? Cell() : Cell(found->first);
  }

 private:
  std::map<std::string, double> sums_;
};

void set_stages(const Study& study, const JoinedModel& model, TableRow* row) {
  Stages latency;
  Stages memory;
  Stages flops;
  Stages access;
  const size_t count = model.layers.layers.size();
  bool knows_memory = true;
  for (size_t i = 0; i < count; ++i) {
    const JoinedLayer& layer = model.layers.layers[i];
    latency.add(i, count, layer.latency_ns);
    knows_memory &= layer.bytes.has_value();
    memory.add(i, count, layer.bytes.value_or(0));
  }
  for (const JoinedKernel& kernel : model.kernels.kernels) {
    const Row span = study.executions.placed[kernel.execution].layer;
    const uint32_t layer = layer_index(study, model.levels, model.layers, span);
    if (layer >= count) continue;
    flops.add(layer, count, kernel.metrics.flops);
    access.add(layer, count, kernel.metrics.dram_read_bytes + kernel.metrics.dram_write_bytes);
  }
  row->set(kM1.latency_stage, latency.most());
  if (knows_memory) row->set(kM1.memory_stage, memory.most());
  row->set(kM1.flops_stage, flops.most());
  row->set(kM1.memory_access_stage, access.most());
}

/// The batch size of a row: the optimal one, or the only one that there is.
struct Optimum {
  Cell chosen;
  uint32_t group = 0;
};

Optimum optimum_of(const Study& study, const ModelSweep& sweep, const std::vector<SweptBatch>& batches) {
  Optimum optimum;
  if (batches.empty()) {
    optimum.group = *std::max_element(sweep.groups.begin(), sweep.groups.end(), [&](uint32_t a, uint32_t b) {
      return study.evaluations.groups[a].evaluations.size() < study.evaluations.groups[b].evaluations.size();
    });
    return optimum;
  }
  optimum.group = batches.back().group;
  if (batches.size() < 2) return optimum;
  std::vector<BatchThroughput> throughputs;
  for (const SweptBatch& batch : batches) throughputs.push_back(batch.throughput);
  std::vector<std::string> unused;
  const Extra extra = optimal_batch(throughputs, study.options.optimal, sweep.name, &unused);
  const auto chosen =
      std::find_if(extra.fields.begin(), extra.fields.end(), [](const auto& field) { return field.first == "chosen"; });
  optimum.chosen = chosen->second;
  for (const SweptBatch& batch : batches) {
    if (optimum.chosen == Cell(batch.throughput.batch_size)) optimum.group = batch.group;
  }
  return optimum;
}

/// No source of traces tells what a model is for: `task` stays null.
void add_row(const Study& study, const ModelSweep& sweep, const SweepColumns& points, Table* table) {
  const std::vector<SweptBatch> batches = swept_batches(study, sweep);
  const Optimum optimum = optimum_of(study, sweep, batches);
  const EvaluationGroup& group = study.evaluations.groups[optimum.group];
  const JoinedModel model = join_model(study, optimum.group);
  const bool has_online = !batches.empty() && batches.front().throughput.batch_size == 1;
  const auto fastest = std::max_element(batches.begin(), batches.end(), [](const auto& a, const auto& b) {
    return a.throughput.throughput_per_s < b.throughput.throughput_per_s;
  });
  const KernelSum sum = sum_of(study, model.kernels.kernels);
  TableRow row = table->add_row();
  row.set(kM1.name, sweep.name);
  if (has_online) row.set(kM1.online_latency_ms, cell(batches.front().throughput.latency_ms));
  if (fastest != batches.end()) row.set(kM1.max_throughput_per_s, cell(fastest->throughput.throughput_per_s));
  row.set(kM1.optimal_batch, optimum.chosen);
  row.set(kM1.convolution_pct, convolution_pct(study, model));
  row.set(kM1.batch_size, batch_size_cell(study, group));
  row.set(kM1.model_latency_ms, cell(model.model_latency_ns / kNsPerMs));
  if (has_kernels(study.trace)) {
    row.set(kM1.kernel_latency_ms, cell(sum.latency_ns / kNsPerMs));
    row.set(kM1.kernel_count, count_cell(sum.count));
    row.set(kM1.gpu_latency_pct, percent(sum.latency_ns, model.model_latency_ns));
  }
  set_metrics(kM1.metrics, sum, &row);
  set_stages(study, model, &row);
  row.set(kM1.system, text_cell(sweep.system));
  row.set(kM1.rank, text_cell(sweep.rank));
  row.set(kM1.framework, sweep.source);
  row.set(kM1.input, text_cell(sweep.input));
  row.set(kM1.n, count_cell(model.levels.model.used.size()));
  set_roof(kM1.roof, roofline_point(sum.work, sum.latency_ns), &row);
  row.set(kM1.mode, text_cell(mode_word(sweep.mode)));
  points.set_cells(&group, table->rows.size() - 1, table);
}

/// Without calls that were computed with other numbers of threads than the program's own: they are no other model.
std::vector<ModelSweep> sweeps_of_models(const Study& study) {
  std::vector<ModelSweep> sweeps = model_sweeps(study);
  std::erase_if(sweeps, [&](const ModelSweep& sweep) {
    const ThreadCountsSetting setting = study.evaluations.groups[sweep.groups.front()].threads.setting;
    return setting == ThreadCountsSetting::kProbe || setting == ThreadCountsSetting::kAdvised;
  });
  return sweeps;
}

}  // namespace

bool has_several_sweeps(const Study& study) {
  const std::vector<ModelSweep> sweeps = sweeps_of_models(study);
  return std::any_of(sweeps.begin(), sweeps.end(),
                     [&](const ModelSweep& sweep) { return !is_of_same_model(sweep, sweeps.front()); });
}

Table models(const Study& study) {
  Table table = make_table(kM1, study);
  const auto sweeps = sweeps_of_models(study);
  SweepColumns points(study);
  points.append_columns(&table);
  for (const ModelSweep& sweep : sweeps) add_row(study, sweep, points, &table);
  if (table.rows.empty()) {
    table.notes.push_back(no_layers_note(study));
    table.lacks_data = true;
    return table;
  }
  if (!study.options.baseline.empty()) append_baseline(study.options.baseline, sweeps, &table);
  table.notes.emplace_back(
      "a row is one model on one system (and rank), training or inference, over all batch sizes; latencies are per "
      "call or step; online_latency_ms is for batch size 1; columns from batch_size on are for the optimal batch size, "
      "or the largest one where no optimal one is known; stages: the third of the layers that takes most");
  const auto lacks = [&](const ColumnDefinition& column) {
    for (size_t row = 0; row < table.rows.size(); ++row) {
      if (is_null(table.at(row, column))) return true;
    }
    return false;
  };
  if (lacks(kM1.online_latency_ms) || lacks(kM1.optimal_batch)) {
    table.notes.emplace_back(
        "online_latency_ms needs batch size 1, and optimal_batch needs several batch sizes of the model: record each, "
        "then run xsp-report TRACE TRACE… --analysis M1");
  }
  table.notes.emplace_back("traces do not record the task");
  if (std::string note = set_note(study); !note.empty()) table.notes.push_back(std::move(note));
  if (std::string note = inputs_note(study); !note.empty()) table.notes.push_back(std::move(note));
  for (std::string& note : loss_notes(study)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace xsp::analysis
