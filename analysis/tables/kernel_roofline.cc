#include "analysis/tables/kernel_roofline.h"

#include <fmt/format.h>

#include "analysis/study/study.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/table.h"
#include "analysis/timeline/kernel_names.h"
#include "base/units.h"

namespace xsp::analysis {

Table kernel_roofline(const Study& study) {
  Table table = make_table(kA9, study);
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
    TableRow row = table.add_row();
    row.set(kA9.kernel_name, text_cell(names.text(name)));
    row.set(kA9.latency_ms, cell(kernel.latency_ns / kNsPerMs));
    row.set(kA9.arithmetic_intensity, cell(point.intensity));
    row.set(kA9.throughput_tflops, cell(point.throughput / kFlopsPerTflop));
    set_roof(kA9.roof, point, &row);
    row.set(kA9.layer_index, layer_index(layer));
    row.set(kA9.layer_name, text_cell(study.trace.text(layer.name)));
    row.set(kA9.source, std::string(name_of(kernel.metrics.source)));
    row.set(kA9.flags, roof_flags(text_cell(text_of_flags(kernel.metrics.flags)), point));
    row.set(kA9.device, text_cell(sum.work.peaks->device));
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
