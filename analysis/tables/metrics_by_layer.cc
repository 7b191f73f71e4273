#include "analysis/tables/analyses.h"
#include "analysis/tables/kernel_tables.h"
#include "base/units.h"

namespace xsp::analysis {

Table metrics_by_layer(const Study& study) {
  Table table;
  table.columns = {{"layer_index", ""}, {"gflops", "Gflop"}, {"dram_read_mib", "MiB"}, {"dram_write_mib", "MiB"},
                   {"layer_name", ""},  {"stage", ""},       {"source", ""},           {"metrics_pct", "%"}};
  table.rank_by = 1;
  for (const LayerKernels& layer : sum_by_layer(study)) {
    std::vector<Cell> metrics;
    append_metric_cells(layer.sum, &metrics);
    table.rows.push_back({layer_index(layer.layer), metrics[0], metrics[1], metrics[2], layer_name(study, layer.layer),
                          layer_stage(study, layer), std::string(name_of(layer.sum.work.source)),
                          metrics_pct(layer.sum)});
  }
  finish_metric_table(study, false, &table);
  return table;
}

}  // namespace xsp::analysis
