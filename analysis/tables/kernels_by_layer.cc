#include "analysis/tables/kernels_by_layer.h"

#include "analysis/study/study.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {

Table kernels_by_layer(const Study& study) {
  Table table = make_table(kA11, study);
  for (const LayerKernels& layer : sum_by_layer(study)) {
    const KernelSum& sum = layer.sum;
    TableRow row = table.add_row();
    row.set(kA11.layer_index, layer_index(layer.layer));
    row.set(kA11.layer_name, layer_name(study, layer.layer));
    row.set(kA11.layer_latency_ms, cell(layer.layer_latency_ns / kNsPerMs));
    row.set(kA11.kernel_latency_ms, cell(sum.latency_ns / kNsPerMs));
    row.set(kA11.kernel_count, count_cell(sum.count));
    set_metrics(kA11.metrics, sum, &row);
    row.set(kA11.algorithmic_gflops, algorithmic_gflops(sum.work));
    row.set(kA11.data_type, text_cell(roofline_point(sum.work, sum.latency_ns).data_type));
    row.set(kA11.metrics_pct, metrics_pct(sum));
    row.set(kA11.stage, layer_stage(study, layer));
    row.set(kA11.flags, layer_flags(layer));
  }
  finish_kernel_table(study, &table);
  return table;
}

}  // namespace xsp::analysis
