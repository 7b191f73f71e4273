/// The cells that tables of kernels share.

#include "analysis/study/study.h"
#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/metric_columns.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

Cell known(bool is_known, double value) { return is_known ? cell(value) : Cell(); }

}  // namespace

void set_metrics(const MetricColumns& columns, const KernelSum& sum, TableRow* row) {
  const RooflinePoint point = roofline_point(sum.work, sum.latency_ns);
  row->set(columns.gflops, gflops(sum.work));
  row->set(columns.dram_read_mib, dram_read_mib(sum.work));
  row->set(columns.dram_write_mib, dram_write_mib(sum.work));
  row->set(columns.occupancy_pct, cell(sum.work.occupancy_ns / sum.work.occupancy_known_ns));
  row->set(columns.arithmetic_intensity, cell(point.intensity));
  row->set(columns.throughput_tflops, cell(point.throughput / kFlopsPerTflop));
  row->set(columns.memory_bound, cell(point.memory_bound));
  row->set(columns.source, std::string(name_of(sum.work.source)));
}

void set_roof(const RoofColumns& columns, const RooflinePoint& point, TableRow* row) {
  row->set(columns.data_type, text_cell(point.data_type));
  row->set(columns.peak_tflops, cell(point.peak / kFlopsPerTflop));
  row->set(columns.bandwidth_gbs, cell(point.bandwidth / kBytesPerGb));
  if (point.memory_bound) row->set(columns.bound, std::string(*point.memory_bound ? "memory" : "compute"));
  row->set(columns.pct_of_roof, cell(point.pct_of_roof));
}

Cell gflops(const KernelWork& work) { return known(work.with_flops != 0, work.flops / kFlopsPerGflop); }

Cell dram_read_mib(const KernelWork& work) { return known(work.with_bytes != 0, work.read_bytes / kBytesPerMib); }

Cell dram_write_mib(const KernelWork& work) { return known(work.with_bytes != 0, work.write_bytes / kBytesPerMib); }

Cell metrics_pct(const KernelSum& sum) {
  if (sum.work.source == MetricSource::kNone) return {};
  return percent(sum.work.known_ns, sum.latency_ns);
}

Cell algorithmic_gflops(const KernelWork& work) {
  return known(work.with_algorithmic_flops != 0, work.algorithmic_flops / kFlopsPerGflop);
}

Cell layer_index(const KernelLayer& layer) {
  return layer.index == KernelLayer::kNone ? Cell() : count_cell(layer.index);
}

Cell layer_name(const Study& study, const KernelLayer& layer) {
  return layer.attached ? Cell(std::string(study.trace.text(layer.name))) : Cell("(unattached)");
}

Cell layer_stage(const Study& study, const LayerKernels& layer) {
  if (std::isnan(layer.layer_latency_ns)) return {};
  return stage_of(layer.layer.index, study.joined.layers.size());
}

Cell layer_flags(const LayerKernels& layer) {
  constexpr uint8_t kOfPlace = kShared | kAuxiliary | kSplit;
  return text_cell(text_of_flags(layer.sum.work.flags & static_cast<uint8_t>(~kOfPlace)));
}

Cell roof_flags(const Cell& flags, const RooflinePoint& point) {
  if (!is_above_roof(point)) return flags;
  const auto* text = std::get_if<std::string>(&flags);
  return text == nullptr ? Cell("above-roof") : Cell(*text + ", above-roof");
}

Cell text_cell(std::string_view text) { return text.empty() ? Cell() : Cell(std::string(text)); }

}  // namespace xsp::analysis
