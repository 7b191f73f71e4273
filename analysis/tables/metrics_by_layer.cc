#include "analysis/tables/metrics_by_layer.h"

#include "analysis/study/study.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {

Table metrics_by_layer(const Study& study) {
  Table table = make_table(kA12, study);
  for (const LayerKernels& layer : sum_by_layer(study)) {
    const KernelWork& work = layer.sum.work;
    TableRow row = table.add_row();
    row.set(kA12.layer_index, layer_index(layer.layer));
    row.set(kA12.gflops, gflops(work));
    row.set(kA12.dram_read_mib, dram_read_mib(work));
    row.set(kA12.dram_write_mib, dram_write_mib(work));
    row.set(kA12.layer_name, layer_name(study, layer.layer));
    row.set(kA12.stage, layer_stage(study, layer));
    row.set(kA12.source, std::string(name_of(work.source)));
    row.set(kA12.metrics_pct, metrics_pct(layer.sum));
  }
  finish_metric_table(study, false, &table);
  return table;
}

}  // namespace xsp::analysis
