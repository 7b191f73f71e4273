#include "analysis/tables/kernels_by_name.h"

#include "analysis/study/study.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/table.h"
#include "analysis/timeline/kernel_names.h"
#include "base/units.h"

namespace xsp::analysis {

Table kernels_by_name(const Study& study) {
  Table table = make_table(kA10, study);
  KernelNames names(study.trace);
  const double model_ns = model_latency_of_kernels(study);
  for (const NamedKernels& named : sum_by_name(study)) {
    const KernelSum& sum = named.sum;
    TableRow row = table.add_row();
    row.set(kA10.kernel_name, names.text(named.name));
    row.set(kA10.count, count_cell(sum.count));
    row.set(kA10.latency_ms, cell(sum.latency_ns / kNsPerMs));
    row.set(kA10.latency_pct, percent(sum.latency_ns, model_ns));
    set_metrics(kA10.metrics, sum, &row);
    row.set(kA10.kernel_pct, percent(sum.latency_ns, study.kernels.latency_ns));
    row.set(kA10.algorithmic_gflops, algorithmic_gflops(sum.work));
    row.set(kA10.data_type, text_cell(roofline_point(sum.work, sum.latency_ns).data_type));
    row.set(kA10.metrics_pct, metrics_pct(sum));
    row.set(kA10.flags, text_cell(text_of_flags(sum.work.flags)));
  }
  finish_kernel_table(study, &table);
  return table;
}

}  // namespace xsp::analysis
