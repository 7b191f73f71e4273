#include <fmt/format.h>

#include <algorithm>

#include "analysis/study/process_labels.h"
#include "analysis/study/step_study.h"
#include "analysis/study/sweep_points.h"
#include "analysis/tables/analyses.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/metric_notes.h"
#include "analysis/tables/model_sweeps.h"
#include "analysis/tables/sweep_columns.h"
#include "analysis/tables/sweep_notes.h"
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

}  // namespace

Table kernels_by_model(const Study& study) {
  Table table;
  table.columns = {{"batch_size", ""},
                   {"model_latency_ms", "ms"},
                   {"kernel_latency_ms", "ms"},
                   {"kernel_count", ""},
                   {"gpu_latency_pct", "%"}};
  append_metric_columns(&table.columns);
  table.columns.insert(table.columns.end(), {{"gpu_busy_ms", "ms"},
                                             {"gpu_busy_pct", "%"},
                                             {"launches", ""},
                                             {"n", ""},
                                             {"model", ""},
                                             {"input", ""},
                                             {"process", ""}});
  append_roof_columns(&table.columns);
  table.columns.insert(table.columns.end(), {{"algorithmic_gflops", "Gflop"},
                                             {"metrics_pct", "%"},
                                             {"own_kernel_ms", "ms"},
                                             {"step_ms", "ms"},
                                             {"communication_ms", "ms"},
                                             {"exposed_communication_ms", "ms"},
                                             {"copy_only_ms", "ms"},
                                             {"unowned_kernel_ms", "ms"},
                                             {"idle_ms", "ms"},
                                             {"idle_input_ms", "ms"},
                                             {"idle_sync_ms", "ms"},
                                             {"idle_sync_copy_ms", "ms"},
                                             {"idle_copy_ms", "ms"},
                                             {"idle_host_ms", "ms"},
                                             {"long_gap_ms", "ms"},
                                             {"launch_gap_ms", "ms"},
                                             {"input_wait_ms", "ms"},
                                             {"sync_wait_ms", "ms"},
                                             {"step_kernels", ""},
                                             {"step_kernel_ms", "ms"},
                                             {"devices", ""}});
  const bool has_devices = !study.trace.devices.empty();
  if (has_devices) table.columns.push_back({"gpu", ""});
  const SweepColumns points(study);
  points.append_columns(&table.columns);
  const Trace& trace = study.trace;
  bool overlaps = false;
  size_t unknown = 0;
  double unowned = 0;
  size_t devices = 0;
  for (const ModelKernels& model : sum_by_model(study)) {
    const EvaluationGroup* group = model.group;
    const bool known = has_known_kernels(study, model);
    unknown += known ? 0 : 1;
    auto& row = table.rows.emplace_back();
    row = {group == nullptr ? Cell() : batch_size_cell(study, *group), cell(model.model_latency_ns / kNsPerMs),
           known ? cell(model.sum.latency_ns / kNsPerMs) : Cell(), known ? count_cell(model.sum.count) : Cell(),
           known ? percent(model.sum.latency_ns, model.model_latency_ns) : Cell()};
    append_metric_cells(model.sum, &row);
    const StepBreakdown& steps = model.steps;
    const bool has_steps = known && steps.has_devices();
    const auto of_step = [&](double share) { return has_steps ? cell(share * model.step_ns / kNsPerMs) : Cell(); };
    row.push_back(of_step(steps.share(steps.busy_ns)));
    row.push_back(has_steps ? cell(100 * steps.share(steps.busy_ns)) : Cell());
    row.push_back(known ? count_cell(model.launches) : Cell());
    row.push_back(group == nullptr ? Cell() : count_cell(model.n));
    row.push_back(group == nullptr ? std::string("(in no evaluation)") : model_label(trace, *group));
    row.push_back(group == nullptr || group->input == 0 ? Cell() : Cell(std::string(trace.text(group->input))));
    row.push_back(group == nullptr ? process_label(trace, model.process) : process_label(trace, *group));
    append_roof_cells(roofline_point(model.sum.work, model.sum.latency_ns), &row);
    row.push_back(algorithmic_gflops(model.sum.work));
    row.push_back(metrics_pct(model.sum));
    row.push_back(known ? cell(model.busy_ns / kNsPerMs) : Cell());
    row.push_back(has_steps ? cell(model.step_ns / kNsPerMs) : Cell());
    row.push_back(has_steps ? cell(time_of_step(study, steps.communication_ns) / kNsPerMs) : Cell());
    row.push_back(has_steps ? cell(time_of_step(study, steps.exposed_communication_ns) / kNsPerMs) : Cell());
    for (const int64_t part : {steps.copy_only_ns, steps.unowned_ns, steps.idle_ns(), steps.idle_input_ns,
                               steps.idle_synchronisation_ns, steps.idle_synchronisation_copy_ns, steps.idle_copy_ns,
                               steps.idle_host_ns, steps.long_idle_host_ns, steps.launch_idle_ns}) {
      row.push_back(of_step(steps.share(part)));
    }
    row.push_back(has_steps ? cell(wait_of_step(study, steps.input_ns) / kNsPerMs) : Cell());
    row.push_back(has_steps ? cell(time_of_step(study, steps.synchronisation_ns) / kNsPerMs) : Cell());
    const double n = study.options.per_trace ? 1 : static_cast<double>(std::max<size_t>(1, steps.evaluations));
    row.push_back(has_steps ? cell(static_cast<double>(steps.kernels) / n) : Cell());
    row.push_back(has_steps ? cell(static_cast<double>(steps.kernel_ns) / n / kNsPerMs) : Cell());
    row.push_back(has_steps ? count_cell(steps.devices) : Cell());
    if (has_devices) row.push_back(group == nullptr ? Cell() : text_cell(gpus_of(study, *group)));
    points.append_cells(group, &row);
    overlaps |= model.sum.latency_ns > 1.001 * model.busy_ns;
    if (group != nullptr) unowned = std::max(unowned, steps.share(steps.unowned_ns));
    devices = std::max(devices, steps.devices);
  }
  if (std::string note = inputs_note(study); !note.empty()) table.notes.push_back(std::move(note));
  finish_kernel_table(study, &table);
  if (unknown != 0 && unknown != table.rows.size()) {
    table.notes.push_back(fmt::format(
        "kernels are not known for {} of {} rows, which are of runs that did not record them (xsp-run --level "
        "kernel -- COMMAND)",
        unknown, table.rows.size()));
  }
  if (study.levels.leveled) {
    table.notes.push_back(fmt::format("model_latency_ms is of {}, and n the evaluations of {}",
                                      study.levels.model.label, study.levels.kernel.label));
  }
  if (study.metrics.source != MetricSource::kNone) {
    for (std::string& note : roof_notes(study)) table.notes.push_back(std::move(note));
  }
  if (constexpr double kWorthNote = 0.01; unowned >= kWorthNote) {
    table.notes.push_back(fmt::format(
        "kernels of no evaluation (launched before the recording, or outside of steps and calls) run in {:.0f} % "
        "of the time at most; they count for gpu_busy_pct and not for kernel_latency_ms",
        100 * unowned));
  }
  if (devices > 1) table.notes.emplace_back("times from gpu_busy_ms on are means over the devices of a row");
  if (overlaps) {
    table.notes.emplace_back(
        "kernels run at the same time (streams, devices): kernel_latency_ms is their sum, own_kernel_ms the time in "
        "which any of them runs");
  }
  return table;
}

}  // namespace xsp::analysis
