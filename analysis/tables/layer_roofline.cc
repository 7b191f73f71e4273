#include "analysis/tables/layer_roofline.h"

#include "analysis/study/study.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {

Table layer_roofline(const Study& study) {
  Table table = make_table(kA14, study);
  bool above = false;
  for (const LayerKernels& layer : sum_by_layer(study)) {
    const KernelSum& sum = layer.sum;
    if (sum.count == 0 && layer.layer.attached) continue;
    const RooflinePoint point = roofline_point(sum.work, sum.latency_ns);
    above |= is_above_roof(point);
    TableRow row = table.add_row();
    row.set(kA14.layer_index, layer_index(layer.layer));
    row.set(kA14.layer_name, layer_name(study, layer.layer));
    row.set(kA14.latency_ms, cell(sum.latency_ns / kNsPerMs));
    row.set(kA14.arithmetic_intensity, cell(point.intensity));
    row.set(kA14.throughput_tflops, cell(point.throughput / kFlopsPerTflop));
    set_roof(kA14.roof, point, &row);
    row.set(kA14.kernel_count, count_cell(sum.count));
    row.set(kA14.stage, layer_stage(study, layer));
    row.set(kA14.source, std::string(name_of(sum.work.source)));
    row.set(kA14.metrics_pct, metrics_pct(sum));
    row.set(kA14.flags, roof_flags(layer_flags(layer), point));
  }
  finish_metric_table(study, true, &table);
  if (above) table.notes.emplace_back(kAboveRoofNote);
  if (!table.rows.empty()) table.notes.emplace_back("latency_ms is the sum of the layer's kernel times");
  return table;
}

}  // namespace xsp::analysis
