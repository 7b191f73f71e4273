#include <fmt/format.h>

#include <algorithm>

#include "analysis/study/process_labels.h"
#include "analysis/tables/analyses.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/timeline/kernel_names.h"
#include "analysis/trace/call_arguments.h"
#include "analysis/trace/launch_configuration.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

class Rows {
 public:
  explicit Rows(const Study& study) : study_(study), trace_(study.trace), names_(trace_), layers_(study) {
    labels_.resize(trace_.processes.size());
  }

  std::vector<Cell> row(const JoinedKernel& kernel) {
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
    std::vector<Cell> row = {text_cell(names_.text(spans.name[span])),
                             layer.index == KernelLayer::kNone ? Cell() : count_cell(layer.index),
                             text_cell(trace_.text(layer.name)),
                             name_of(placed.library_call),
                             count_cell(queue.stream),
                             cell(kernel.latency_ns / kNsPerMs)};
    const KernelSum sum = sum_of(study_, kernel);
    append_metric_cells(sum, &row);
    row.insert(row.end(), {count_cell(queue.device), text_cell(configuration.grid), text_cell(configuration.block),
                           name_of(placed.launch), node == 0 ? Cell() : count_cell(node), count_cell(kernel.n),
                           cell(kernel.spread_ns / kNsPerMs), label_of(trace_.process_of(span)),
                           algorithmic_gflops(sum.work), text_cell(xsp::analysis::name_of(kernel.metrics.type)),
                           text_cell(text_of_flags(kernel.metrics.flags))});
    append_operator(placed, &row);
    return row;
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

  /// The operator that started the kernel, with what it was called on, and whether it is backward work.
  void append_operator(const PlacedExecution& placed, std::vector<Cell>* row) const {
    if (placed.operator_row == kNoRow) {
      row->resize(row->size() + 2);
    } else {
      row->push_back(text_cell(trace_.text(trace_.spans.name[placed.operator_row])));
      row->push_back(text_cell(CallArguments(trace_, placed.operator_row).text("inputs").value_or("")));
    }
    const bool placed_somewhere = placed.backward || placed.layer != kNoRow;
    row->push_back(placed_somewhere ? Cell(phase_of(placed)) : Cell());
  }

  const Study& study_;
  const Trace& trace_;
  KernelNames names_;
  KernelLayers layers_;
  std::vector<std::string> labels_;  // by process
};

}  // namespace

Table kernel_information(const Study& study) {
  Table table;
  table.columns = {{"kernel_name", "", kKernelNameWidth},
                   {"layer_index", ""},
                   {"layer_name", ""},
                   {"library_call", ""},
                   {"stream", ""},
                   {"latency_ms", "ms"}};
  append_metric_columns(&table.columns);
  table.columns.insert(table.columns.end(), {{"device", ""},
                                             {"grid", ""},
                                             {"block", ""},
                                             {"launch", ""},
                                             {"graph_node", ""},
                                             {"n", ""},
                                             {"spread", "ms"},
                                             {"process", ""},
                                             {"algorithmic_gflops", "Gflop"},
                                             {"data_type", ""},
                                             {"flags", ""},
                                             {"operator", ""},
                                             {"operator_inputs", "", kKernelNameWidth},
                                             {"phase", ""}});
  table.rank_by = 5;
  const auto& kernels = study.kernels.kernels;
  Rows rows(study);
  for (const uint32_t i : longest_kernels(kernels)) table.rows.push_back(rows.row(kernels[i]));
  finish_kernel_table(study, &table);
  if (table.rows.size() < kernels.size()) {
    table.notes.push_back(fmt::format("the {} longest of {} kernels", table.rows.size(), kernels.size()));
  }
  if (std::any_of(kernels.begin(), kernels.end(), [](const auto& kernel) { return kernel.configuration_varies; })) {
    table.notes.emplace_back("a launch configuration that is not the same in all evaluations is left out");
  }
  return table;
}

}  // namespace xsp::analysis
