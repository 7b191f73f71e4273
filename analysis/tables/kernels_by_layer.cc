#include "analysis/tables/analyses.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/units.h"

namespace xsp::analysis {

Table kernels_by_layer(const Study& study) {
  Table table;
  table.columns = {{"layer_index", ""},
                   {"layer_name", ""},
                   {"layer_latency_ms", "ms"},
                   {"kernel_latency_ms", "ms"},
                   {"kernel_count", ""}};
  append_metric_columns(&table.columns);
  table.rank_by = 3;
  for (const LayerKernels& layer : sum_by_layer(study)) {
    auto& row = table.rows.emplace_back();
    row = {layer.layer.index == KernelLayer::kNone ? Cell() : count_cell(layer.layer.index),
           layer.layer.attached ? Cell(std::string(study.trace.text(layer.layer.name))) : Cell("(unattached)"),
           cell(layer.layer_latency_ns / kNsPerMs), cell(layer.sum.latency_ns / kNsPerMs), count_cell(layer.sum.count)};
    append_metric_cells(&row);
  }
  finish_kernel_table(study, &table);
  return table;
}

}  // namespace xsp::analysis
