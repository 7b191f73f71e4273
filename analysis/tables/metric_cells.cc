/// The cells that tables of kernels share.

#include "analysis/tables/kernel_tables.h"
#include "analysis/tables/layer_tables.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

Cell known(bool is_known, double value) { return is_known ? cell(value) : Cell(); }

}  // namespace

void append_metric_columns(std::vector<Column>* columns) {
  columns->insert(columns->end(), {{"gflops", "Gflop"},
                                   {"dram_read_mib", "MiB"},
                                   {"dram_write_mib", "MiB"},
                                   {"occupancy_pct", "%"},
                                   {"arithmetic_intensity", "flop/B"},
                                   {"throughput_tflops", "TFLOPS"},
                                   {"memory_bound", ""},
                                   {"source", ""}});
}

void append_metric_cells(const KernelSum& sum, std::vector<Cell>* row) {
  const KernelWork& work = sum.work;
  const RooflinePoint point = roofline_point(work, sum.latency_ns);
  row->push_back(known(work.with_flops != 0, work.flops / kFlopsPerGflop));
  row->push_back(known(work.with_bytes != 0, work.read_bytes / kBytesPerMib));
  row->push_back(known(work.with_bytes != 0, work.write_bytes / kBytesPerMib));
  row->push_back(cell(work.occupancy_ns / work.occupancy_known_ns));
  row->push_back(cell(point.intensity));
  row->push_back(cell(point.throughput / kFlopsPerTflop));
  row->push_back(cell(point.memory_bound));
  row->emplace_back(std::string(name_of(work.source)));
}

void append_roof_columns(std::vector<Column>* columns) {
  columns->insert(
      columns->end(),
      {{"data_type", ""}, {"peak_tflops", "TFLOPS"}, {"bandwidth_gbs", "GB/s"}, {"bound", ""}, {"pct_of_roof", "%"}});
}

void append_roof_cells(const RooflinePoint& point, std::vector<Cell>* row) {
  row->push_back(text_cell(point.data_type));
  row->push_back(cell(point.peak / kFlopsPerTflop));
  row->push_back(cell(point.bandwidth / kBytesPerGb));
  row->push_back(point.memory_bound ? Cell(std::string(*point.memory_bound ? "memory" : "compute")) : Cell());
  row->push_back(cell(point.pct_of_roof));
}

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
