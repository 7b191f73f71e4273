#include "analysis/tables/kernel_information.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/study/process_labels.h"
#include "analysis/study/study.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/table.h"
#include "analysis/timeline/kernel_names.h"
#include "analysis/trace/call_arguments.h"
#include "analysis/trace/launch_configuration.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

class KernelRows {
 public:
  explicit KernelRows(const Study& study) : study_(study), trace_(study.trace), names_(trace_), layers_(study) {
    labels_.resize(trace_.processes.size());
  }

  void add(const JoinedKernel& kernel, Table* table) {
    const SpanTable& spans = trace_.spans;
    const ExecutionTable& executions = trace_.executions;
    const Row span = executions.row[kernel.execution];
    const PlacedExecution& placed = study_.executions.placed[kernel.execution];
    const Queue& queue = trace_.queues[executions.queue[kernel.execution]];
    const KernelLayer layer = layers_.of(kernel);
    const auto name_of = [&](Row row) { return row == kNoRow ? Cell() : text_cell(trace_.text(spans.name[row])); };
    const LaunchConfiguration configuration =
        launch_configuration(kernel.configuration_varies ? "" : trace_.text(spans.shape[span]));
    const uint64_t node = executions.graph_node[kernel.execution];
    const KernelSum sum = sum_of(study_, kernel);
    TableRow row = table->add_row();
    row.set(kA8.kernel_name, text_cell(names_.text(spans.name[span])));
    row.set(kA8.layer_index, layer_index(layer));
    row.set(kA8.layer_name, text_cell(trace_.text(layer.name)));
    row.set(kA8.library_call, name_of(placed.library_call));
    row.set(kA8.stream, count_cell(queue.stream));
    row.set(kA8.latency_ms, cell(kernel.latency_ns / kNsPerMs));
    set_metrics(kA8.metrics, sum, &row);
    row.set(kA8.device, count_cell(queue.device));
    row.set(kA8.grid, text_cell(configuration.grid));
    row.set(kA8.block, text_cell(configuration.block));
    row.set(kA8.launch, name_of(placed.launch));
    if (node != 0) row.set(kA8.graph_node, count_cell(node));
    row.set(kA8.n, count_cell(kernel.n));
    row.set(kA8.spread, cell(kernel.spread_ns / kNsPerMs));
    row.set(kA8.process, label_of(trace_.process_of(span)));
    row.set(kA8.algorithmic_gflops, algorithmic_gflops(sum.work));
    row.set(kA8.data_type, text_cell(xsp::analysis::name_of(kernel.metrics.type)));
    row.set(kA8.flags, text_cell(text_of_flags(kernel.metrics.flags)));
    if (placed.operator_row != kNoRow) {
      row.set(kA8.operator_name, text_cell(trace_.text(spans.name[placed.operator_row])));
      row.set(kA8.operator_inputs, text_cell(CallArguments(trace_, placed.operator_row).text("inputs").value_or("")));
    }
    if (placed.backward || placed.layer != kNoRow) row.set(kA8.phase, phase_of(placed));
  }

 private:
  /// A label compares the process with all others, so each is made once.
  const std::string& label_of(uint32_t process) {
    std::string& label = labels_[process];
    if (label.empty()) label = process_label(trace_, process);
    return label;
  }

  /// The layer of an optimizer has the type that span_roles gave it.
  std::string phase_of(const PlacedExecution& placed) const {
    if (placed.backward) return "backward";
    const bool optimizes = placed.layer != kNoRow && trace_.text(trace_.spans.type[placed.layer]) == "Optimizer";
    return optimizes ? "optimizer" : "forward";
  }

  const Study& study_;
  const Trace& trace_;
  KernelNames names_;
  KernelLayers layers_;
  std::vector<std::string> labels_;  // by process
};

}  // namespace

Table kernel_information(const Study& study) {
  Table table = make_table(kA8, study);
  const auto& kernels = study.kernels.kernels;
  KernelRows rows(study);
  for (const uint32_t i : longest_kernels(kernels)) rows.add(kernels[i], &table);
  finish_kernel_table(study, &table);
  if (table.rows.size() < kernels.size()) {
    table.notes.push_back(fmt::format("the {} longest of {} kernels", table.rows.size(), kernels.size()));
  }
  if (std::any_of(kernels.begin(), kernels.end(), [](const auto& kernel) { return kernel.configuration_varies; })) {
    table.notes.emplace_back("a launch configuration that differs between calls is left out");
  }
  return table;
}

}  // namespace xsp::analysis
