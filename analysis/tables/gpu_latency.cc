#include "analysis/tables/gpu_latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/study/step_study.h"
#include "analysis/study/study.h"
#include "analysis/tables/call_tables.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/study_notes.h"
#include "analysis/tables/table.h"
#include "analysis/timeline/intervals.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Evaluations that ran kernels and made no layers of their own.
size_t replays(const Study& study) {
  if (study.options.per_trace || study.joined.layers.empty()) return 0;
  const Executions& executions = study.executions;
  const auto& used = study.levels.kernel.used;
  return static_cast<size_t>(std::count_if(used.begin(), used.end(), [&](uint32_t evaluation) {
    if (study.evaluations.layer_count(evaluation) != 0) return false;
    const auto begin = executions.in_evaluation.begin();
    return std::any_of(begin + static_cast<ptrdiff_t>(executions.first_of[evaluation]),
                       begin + static_cast<ptrdiff_t>(executions.first_of[evaluation + 1]), [&](uint32_t execution) {
                         return study.trace.spans.kind[study.trace.executions.row[execution]] == Kind::kKernel;
                       });
  }));
}

/// Whether the kernels under study are of evaluations that made no layers of their own.
bool are_replayed(const Study& study) {
  const auto& evaluations = study.kernels.evaluations;
  return !evaluations.empty() && study.evaluations.layer_count(evaluations.front()) == 0;
}

/// Layers that are known from their kernels only: they captured graphs that the evaluations under study launched.
std::vector<LayerKernels> captured_layers(const Study& study, const std::vector<LayerKernels>& layers) {
  std::vector<LayerKernels> captured;
  if (study.has_single_calls()) return captured;
  const bool all = are_replayed(study);
  for (const LayerKernels& layer : layers) {
    const bool known = !std::isnan(layer.layer_latency_ns) || layer.layer.own != KernelLayer::kNone;
    if (layer.layer.attached && (all ? layer.sum.count != 0 : !known)) captured.push_back(layer);
  }
  return captured;
}

/// Time in which kernels of a layer run, joined over the evaluations under study.
std::map<KernelLayer, double> busy_by_layer(const Study& study) {
  const Executions& executions = study.executions;
  const SpanTable& spans = study.trace.spans;
  const KernelLayers find(study);
  std::map<KernelLayer, std::vector<double>> values;
  for (const uint32_t evaluation : study.kernels.evaluations) {
    std::map<KernelLayer, std::vector<std::pair<int64_t, int64_t>>> intervals;
    for (size_t i = executions.first_of[evaluation]; i < executions.first_of[evaluation + 1]; ++i) {
      const uint32_t execution = executions.in_evaluation[i];
      if (!is_executed(study.trace, execution, Executed::kKernels)) continue;
      const Row row = study.trace.executions.row[execution];
      intervals[find.of({.execution = execution})].emplace_back(spans.begin[row], spans.end[row]);
    }
    for (auto& [layer, times] : intervals) values[layer].push_back(static_cast<double>(union_length(&times)));
  }
  std::map<KernelLayer, double> busy;
  for (auto& [layer, of_evaluations] : values) busy[layer] = evaluate(study.options.statistic, of_evaluations);
  return busy;
}

/// A layer of A2 as the runs with kernels have it, and as its own level set does.
struct TimedLayer {
  const JoinedLayer* layer = nullptr;    // null: these runs have no such layer
  const JoinedLayer* leveled = nullptr;  // null: its own set does not tell
  uint32_t name = 0;
  std::optional<uint32_t> index;  // of A2; nothing: it has no such layer
};

std::vector<TimedLayer> timed_layers(const Study& study) {
  const auto& layers = study.joined.layers;
  const LeveledGroup& levels = study.levels;
  std::vector<TimedLayer> timed;
  for (uint32_t i = 0; i < layers.size(); ++i) timed.push_back({&layers[i], nullptr, layers[i].name, i});
  if (!levels.leveled || !study.latencies.has_kernels || levels.kernel_layers.layers.empty()) return timed;
  // If executions outlast the calls, only these runs tell how long a layer takes.
  const bool is_leveled = !levels.layers_outlast_calls && levels.kernel.label != levels.layer.label;
  for (TimedLayer& layer : timed) layer.layer = nullptr;
  for (uint32_t ordinal = 0; ordinal < levels.kernel_layers.layers.size(); ++ordinal) {
    const JoinedLayer& own = levels.kernel_layers.layers[ordinal];
    const uint32_t index = layer_index_of(levels.kernel_ordinals, ordinal);
    if (index >= layers.size()) {
      timed.push_back({.layer = &own, .name = own.name});
      continue;
    }
    timed[index].layer = &own;
  }
  for (TimedLayer& layer : timed) {
    if (is_leveled && layer.index) layer.leveled = &layers[*layer.index];
  }
  return timed;
}

void add_row(const Study& study, const TimedLayer& timed, Table* table) {
  TableRow row = table->add_row();
  row.set(kA13.layer_name, std::string(study.trace.text(timed.name)));
  if (timed.index) {
    row.set(kA13.layer_index, count_cell(*timed.index));
    row.set(kA13.stage, stage_of(*timed.index, study.joined.layers.size()));
  }
  if (timed.leveled != nullptr) row.set(kA13.leveled_latency_ms, cell(timed.leveled->latency_ns / kNsPerMs));
  if (timed.layer == nullptr) return;
  const JoinedLayer& layer = *timed.layer;
  row.set(kA13.layer_latency_ms, cell(layer.latency_ns / kNsPerMs));
  if (study.latencies.has_kernels) {
    row.set(kA13.gpu_ms, cell(layer.gpu_ns / kNsPerMs));
    row.set(kA13.non_gpu_ms, cell((layer.latency_ns - layer.gpu_ns) / kNsPerMs));
    row.set(kA13.gpu_pct, percent(layer.gpu_ns, layer.latency_ns));
    row.set(kA13.kernel_ms, cell(layer.kernel_ns / kNsPerMs));
    row.set(kA13.kernel_count, mean_count(layer.kernels));
  }
  if (knows_waits(study)) row.set(kA13.wait_ms, cell(layer.wait_ns / kNsPerMs));
  if (timed.leveled != nullptr) {
    row.set(kA13.leveled_difference_ms, cell((layer.latency_ns - timed.leveled->latency_ns) / kNsPerMs));
  }
}

std::string leveled_note(const LeveledGroup& levels) {
  if (levels.layers_outlast_calls || levels.kernel.label == levels.layer.label) {
    return fmt::format(
        "all latencies here come from {}, the only run that measured layers: there is no leveled "
        "latency",
        levels.kernel.label);
  }
  return fmt::format(
      "layer_latency_ms and gpu_ms both come from {}; leveled_latency_ms comes from {}, and leveled_difference_ms is "
      "the layer's cost of recording more",
      levels.kernel.label, levels.layer.label);
}

/// Rows without a layer latency.
bool add_captured_layers(const Study& study, const std::vector<LayerKernels>& captured, Table* table) {
  bool concurrent = false;
  const auto busy = captured.empty() ? std::map<KernelLayer, double>() : busy_by_layer(study);
  for (const LayerKernels& layer : captured) {
    const auto found = busy.find(layer.layer);
    const double gpu_ns = found == busy.end() ? 0 : found->second;
    TableRow row = table->add_row();
    row.set(kA13.layer_index, layer_index(layer.layer));
    row.set(kA13.gpu_ms, cell(gpu_ns / kNsPerMs));
    row.set(kA13.layer_name, std::string(study.trace.text(layer.layer.name)));
    row.set(kA13.kernel_ms, cell(layer.sum.latency_ns / kNsPerMs));
    row.set(kA13.kernel_count, count_cell(layer.sum.count));
    row.set(kA13.stage, layer_stage(study, layer));
    concurrent |= layer.sum.latency_ns > 1.001 * gpu_ns;
  }
  return concurrent;
}

}  // namespace

Table gpu_latency(const Study& study) {
  Table table = make_table(kA13, study);
  const bool known = study.latencies.has_kernels;
  const auto by_layer = sum_by_layer(study);
  const auto captured = captured_layers(study, by_layer);
  const bool replayed = !captured.empty() && are_replayed(study);
  bool concurrent = false;
  size_t unknown = 0;
  for (const TimedLayer& timed : timed_layers(study)) {
    if (replayed) break;
    concurrent |= timed.layer != nullptr && timed.layer->kernel_ns > timed.layer->gpu_ns;
    unknown += timed.layer != nullptr && std::isnan(timed.layer->gpu_ns) ? 1 : 0;
    add_row(study, timed, &table);
  }
  concurrent |= add_captured_layers(study, captured, &table);
  if (replayed) rank_by(kA13.gpu_ms, &table);
  finish_layer_table(study, false, &table, known ? Level::kDevice : Level::kLayer);
  table.lacks_data = table.rows.empty();
  if (!known) {
    table.lacks_data = true;
    table.notes.push_back(no_kernels_note(study));
    return table;
  }
  if (std::string note = device_latency_note(study); !note.empty() && !replayed) table.notes.push_back(std::move(note));
  if (unknown != 0) {
    table.notes.push_back(
        fmt::format("gpu_ms is not known for {} of {} layers: no run recorded their kernels (xsp-run --level "
                    "kernel -- COMMAND)",
                    unknown, table.rows.size()));
  }
  if (study.levels.leveled && !replayed) table.notes.push_back(leveled_note(study.levels));
  if (replayed) table.notes.push_back(subject_note(study, Level::kDevice, study.kernels.evaluations.size()));
  if (!captured.empty()) {
    table.notes.emplace_back(
        "a layer without layer_latency_ms was not called here: it captured kernels of a graph that these calls "
        "launched, so only their GPU time is known");
  }
  if (concurrent) {
    table.notes.emplace_back(
        "kernels of one layer overlap: gpu_ms is the time in which any of them runs, kernel_ms is their sum");
  }
  if (const size_t evaluations = replays(study); evaluations != 0 && !replayed) {
    table.notes.push_back(
        fmt::format("{} no layers of their own (replayed graphs) and are not in this table: A11 lists their kernels by "
                    "the layers that captured them; --per trace counts them here",
                    evaluations == 1 ? "1 evaluation made" : fmt::format("{} evaluations made", evaluations)));
  }
  const size_t unattached = by_layer.empty() ? 0 : by_layer.back().sum.count;
  if (unattached != 0) {
    table.notes.push_back(fmt::format("{} in no layer: see A11",
                                      unattached == 1 ? "1 kernel is" : fmt::format("{} kernels are", unattached)));
  }
  return table;
}

}  // namespace xsp::analysis
