#include "analysis/tables/analyses.h"
#include "analysis/tables/kernel_tables.h"
#include "base/units.h"

namespace xsp::analysis {

Table layer_roofline(const Study& study) {
  Table table;
  table.columns = {{"layer_index", ""},
                   {"layer_name", ""},
                   {"latency_ms", "ms"},
                   {"arithmetic_intensity", "flop/B"},
                   {"throughput_tflops", "TFLOPS"}};
  append_roof_columns(&table.columns);
  table.columns.insert(table.columns.end(),
                       {{"kernel_count", ""}, {"stage", ""}, {"source", ""}, {"metrics_pct", "%"}, {"flags", ""}});
  table.rank_by = 2;
  bool above = false;
  for (const LayerKernels& layer : sum_by_layer(study)) {
    const KernelSum& sum = layer.sum;
    if (sum.count == 0 && layer.layer.attached) continue;
    const RooflinePoint point = roofline_point(sum.work, sum.latency_ns);
    auto& row = table.rows.emplace_back();
    above |= is_above_roof(point);
    row = {layer_index(layer.layer), layer_name(study, layer.layer), cell(sum.latency_ns / kNsPerMs),
           cell(point.intensity), cell(point.throughput / kFlopsPerTflop)};
    append_roof_cells(point, &row);
    row.insert(row.end(), {count_cell(sum.count), layer_stage(study, layer), std::string(name_of(sum.work.source)),
                           metrics_pct(sum), roof_flags(layer_flags(layer), point)});
  }
  finish_metric_table(study, true, &table);
  if (above) table.notes.emplace_back(kAboveRoofNote);
  if (!table.rows.empty()) table.notes.emplace_back("latency_ms is that of the layer's kernels, one after another");
  return table;
}

}  // namespace xsp::analysis
