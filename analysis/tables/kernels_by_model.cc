#include "analysis/tables/kernels_by_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/study/process_labels.h"
#include "analysis/study/step_study.h"
#include "analysis/study/study.h"
#include "analysis/study/sweep_points.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/metric_notes.h"
#include "analysis/tables/model_sweeps.h"
#include "analysis/tables/sweep_columns.h"
#include "analysis/tables/sweep_notes.h"
#include "analysis/tables/table.h"
#include "analysis/trace/recorded_levels.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Whether a run behind the row recorded kernels.
bool has_known_kernels(const Study& study, const ModelKernels& model) {
  if (model.group == nullptr) return true;
  const auto& runs = model.group->runs;
  const auto recorded = [&](uint32_t process) { return records(study.trace, process, Level::kDevice); };
  if (runs.empty()) return recorded(model.group->process);
  return std::any_of(runs.begin(), runs.end(), [&](const GroupRun& run) { return recorded(run.process); });
}

/// What the row is of.
void set_subject(const Study& study, const ModelKernels& model, TableRow* row) {
  const Trace& trace = study.trace;
  row->set(kA15.model_latency_ms, cell(model.model_latency_ns / kNsPerMs));
  if (model.group == nullptr) {
    row->set(kA15.model, std::string("(in no evaluation)"));
    row->set(kA15.process, process_label(trace, model.process));
    return;
  }
  const EvaluationGroup& group = *model.group;
  row->set(kA15.batch_size, batch_size_cell(study, group));
  row->set(kA15.n, count_cell(model.n));
  row->set(kA15.model, model_label(trace, group));
  if (group.input != 0) row->set(kA15.input, std::string(trace.text(group.input)));
  row->set(kA15.process, process_label(trace, group));
  row->set(kA15.gpu, text_cell(gpus_of(study, group)));
}

/// Where its steps spend their time.
void set_steps(const Study& study, const ModelKernels& model, TableRow* row) {
  const StepBreakdown& steps = model.steps;
  const auto part = [&](int64_t ns) { return cell(steps.share(ns) * model.step_ns / kNsPerMs); };
  row->set(kA15.gpu_busy_ms, part(steps.busy_ns));
  row->set(kA15.gpu_busy_pct, cell(100 * steps.share(steps.busy_ns)));
  row->set(kA15.step_ms, cell(model.step_ns / kNsPerMs));
  row->set(kA15.communication_ms, cell(time_of_step(study, steps.communication_ns) / kNsPerMs));
  row->set(kA15.exposed_communication_ms, cell(time_of_step(study, steps.exposed_communication_ns) / kNsPerMs));
  row->set(kA15.copy_only_ms, part(steps.copy_only_ns));
  row->set(kA15.unowned_kernel_ms, part(steps.unowned_ns));
  row->set(kA15.idle_ms, part(steps.idle_ns()));
  row->set(kA15.idle_input_ms, part(steps.idle_input_ns));
  row->set(kA15.idle_sync_ms, part(steps.idle_synchronisation_ns));
  row->set(kA15.idle_sync_copy_ms, part(steps.idle_synchronisation_copy_ns));
  row->set(kA15.idle_copy_ms, part(steps.idle_copy_ns));
  row->set(kA15.idle_host_ms, part(steps.idle_host_ns));
  row->set(kA15.long_gap_ms, part(steps.long_idle_host_ns));
  row->set(kA15.launch_gap_ms, part(steps.launch_idle_ns));
  row->set(kA15.input_wait_ms, cell(wait_of_step(study, steps.input_ns) / kNsPerMs));
  row->set(kA15.sync_wait_ms, cell(time_of_step(study, steps.synchronisation_ns) / kNsPerMs));
  const double n = study.options.per_trace ? 1 : static_cast<double>(std::max<size_t>(1, steps.evaluations));
  row->set(kA15.step_kernels, cell(static_cast<double>(steps.kernels) / n));
  row->set(kA15.step_kernel_ms, cell(static_cast<double>(steps.kernel_ns) / n / kNsPerMs));
  row->set(kA15.devices, count_cell(steps.devices));
}

}  // namespace

Table kernels_by_model(const Study& study) {
  Table table = make_table(kA15, study);
  SweepColumns points(study);
  points.append_columns(&table);
  bool overlaps = false;
  size_t unknown = 0;
  double unowned = 0;
  size_t devices = 0;
  for (const ModelKernels& model : sum_by_model(study)) {
    const bool known = has_known_kernels(study, model);
    unknown += known ? 0 : 1;
    TableRow row = table.add_row();
    set_subject(study, model, &row);
    set_metrics(kA15.metrics, model.sum, &row);
    set_roof(kA15.roof, roofline_point(model.sum.work, model.sum.latency_ns), &row);
    row.set(kA15.algorithmic_gflops, algorithmic_gflops(model.sum.work));
    row.set(kA15.metrics_pct, metrics_pct(model.sum));
    if (known) {
      row.set(kA15.kernel_latency_ms, cell(model.sum.latency_ns / kNsPerMs));
      row.set(kA15.kernel_count, count_cell(model.sum.count));
      row.set(kA15.gpu_latency_pct, percent(model.sum.latency_ns, model.model_latency_ns));
      row.set(kA15.launches, count_cell(model.launches));
      row.set(kA15.own_kernel_ms, cell(model.busy_ns / kNsPerMs));
      if (model.steps.has_devices()) set_steps(study, model, &row);
    }
    points.set_cells(model.group, table.rows.size() - 1, &table);
    overlaps |= model.sum.latency_ns > 1.001 * model.busy_ns;
    if (model.group != nullptr) unowned = std::max(unowned, model.steps.share(model.steps.unowned_ns));
    devices = std::max(devices, model.steps.devices);
  }
  if (std::string note = inputs_note(study); !note.empty()) table.notes.push_back(std::move(note));
  finish_kernel_table(study, &table);
  if (unknown != 0 && unknown != table.rows.size()) {
    table.notes.push_back(
        fmt::format("kernels are not known for {} of {} rows: their runs did not record them (xsp-run --level "
                    "kernel -- COMMAND)",
                    unknown, table.rows.size()));
  }
  if (study.levels.leveled) {
    table.notes.push_back(fmt::format("model_latency_ms comes from {}, and n counts calls of {}",
                                      study.levels.model.label, study.levels.kernel.label));
  }
  if (study.metrics.source != MetricSource::kNone) {
    for (std::string& note : roof_notes(study)) table.notes.push_back(std::move(note));
  }
  if (constexpr double kWorthNote = 0.01; unowned >= kWorthNote) {
    table.notes.push_back(
        fmt::format("kernels outside every step and call (or launched before the recording) run for up to {:.0f} % of "
                    "the time; gpu_busy_pct includes them, kernel_latency_ms does not",
                    100 * unowned));
  }
  if (devices > 1) table.notes.emplace_back("times from gpu_busy_ms on are means over the GPUs of a row");
  if (overlaps) {
    table.notes.emplace_back(
        "kernels overlap (streams, GPUs): kernel_latency_ms is their sum, own_kernel_ms is the time in which any of "
        "them runs");
  }
  return table;
}

}  // namespace xsp::analysis
