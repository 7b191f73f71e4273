#include "analysis/tables/analyses.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/timeline/kernel_names.h"
#include "base/units.h"

namespace xsp::analysis {

Table kernels_by_name(const Study& study) {
  Table table;
  table.columns = {{"kernel_name", "", kKernelNameWidth}, {"count", ""}, {"latency_ms", "ms"}, {"latency_pct", "%"}};
  append_metric_columns(&table.columns);
  table.columns.insert(
      table.columns.end(),
      {{"kernel_pct", "%"}, {"algorithmic_gflops", "Gflop"}, {"data_type", ""}, {"metrics_pct", "%"}, {"flags", ""}});
  table.rank_by = 2;
  table.show_ranked = true;
  KernelNames names(study.trace);
  const double model_ns = model_latency_of_kernels(study);
  for (const NamedKernels& named : sum_by_name(study)) {
    auto& row = table.rows.emplace_back();
    row = {names.text(named.name), count_cell(named.sum.count), cell(named.sum.latency_ns / kNsPerMs),
           percent(named.sum.latency_ns, model_ns)};
    append_metric_cells(named.sum, &row);
    row.push_back(percent(named.sum.latency_ns, study.kernels.latency_ns));
    row.push_back(algorithmic_gflops(named.sum.work));
    row.push_back(text_cell(roofline_point(named.sum.work, named.sum.latency_ns).data_type));
    row.push_back(metrics_pct(named.sum));
    row.push_back(text_cell(text_of_flags(named.sum.work.flags)));
  }
  finish_kernel_table(study, &table);
  return table;
}

}  // namespace xsp::analysis
