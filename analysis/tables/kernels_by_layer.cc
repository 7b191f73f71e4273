#include "analysis/tables/analyses.h"
#include "analysis/tables/kernel_tables.h"
#include "base/units.h"

namespace xsp::analysis {

Table kernels_by_layer(const Study& study) {
  Table table;
  table.columns = {{"layer_index", ""},
                   {"layer_name", ""},
                   {"layer_latency_ms", "ms"},
                   {"kernel_latency_ms", "ms"},
                   {"kernel_count", ""}};
  append_metric_columns(&table.columns);
  table.columns.insert(
      table.columns.end(),
      {{"algorithmic_gflops", "Gflop"}, {"data_type", ""}, {"metrics_pct", "%"}, {"stage", ""}, {"flags", ""}});
  table.rank_by = 3;
  for (const LayerKernels& layer : sum_by_layer(study)) {
    auto& row = table.rows.emplace_back();
    row = {layer_index(layer.layer), layer_name(study, layer.layer), cell(layer.layer_latency_ns / kNsPerMs),
           cell(layer.sum.latency_ns / kNsPerMs), count_cell(layer.sum.count)};
    append_metric_cells(layer.sum, &row);
    row.push_back(algorithmic_gflops(layer.sum.work));
    row.push_back(text_cell(roofline_point(layer.sum.work, layer.sum.latency_ns).data_type));
    row.push_back(metrics_pct(layer.sum));
    row.push_back(layer_stage(study, layer));
    row.push_back(layer_flags(layer));
  }
  finish_kernel_table(study, &table);
  return table;
}

}  // namespace xsp::analysis
