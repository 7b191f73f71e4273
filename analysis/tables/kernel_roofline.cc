#include <fmt/format.h>

#include "analysis/tables/analyses.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/timeline/kernel_names.h"
#include "base/units.h"

namespace xsp::analysis {

Table kernel_roofline(const Study& study) {
  Table table;
  table.columns = {{"kernel_name", "", kKernelNameWidth},
                   {"latency_ms", "ms"},
                   {"arithmetic_intensity", "flop/B"},
                   {"throughput_tflops", "TFLOPS"}};
  append_roof_columns(&table.columns);
  table.columns.insert(table.columns.end(),
                       {{"layer_index", ""}, {"layer_name", ""}, {"source", ""}, {"flags", ""}, {"device", ""}});
  table.rank_by = 1;
  KernelNames names(study.trace);
  const KernelLayers layers(study);
  const auto& kernels = study.kernels.kernels;
  bool above = false;
  for (const uint32_t i : longest_kernels(kernels)) {
    const JoinedKernel& kernel = kernels[i];
    const KernelSum sum = sum_of(study, kernel);
    const RooflinePoint point = roofline_point(sum.work, sum.latency_ns);
    const KernelLayer layer = layers.of(kernel);
    const uint32_t name = study.trace.spans.name[study.trace.executions.row[kernel.execution]];
    auto& row = table.rows.emplace_back();
    row = {text_cell(names.text(name)), cell(kernel.latency_ns / kNsPerMs), cell(point.intensity),
           cell(point.throughput / kFlopsPerTflop)};
    append_roof_cells(point, &row);
    row.insert(
        row.end(),
        {layer_index(layer), text_cell(study.trace.text(layer.name)), std::string(name_of(kernel.metrics.source)),
         roof_flags(text_cell(text_of_flags(kernel.metrics.flags)), point), text_cell(sum.work.peaks->device)});
    above |= is_above_roof(point);
  }
  finish_metric_table(study, true, &table);
  if (above) table.notes.emplace_back(kAboveRoofNote);
  if (table.rows.size() < kernels.size()) {
    table.notes.push_back(fmt::format("the {} longest of {} kernels", table.rows.size(), kernels.size()));
  }
  return table;
}

}  // namespace xsp::analysis
