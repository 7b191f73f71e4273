#include "analysis/figures/layer_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/figures/columns_figure.h"
#include "analysis/figures/figure_text.h"
#include "analysis/tables/gpu_latency.h"
#include "analysis/tables/kernel_information.h"
#include "analysis/tables/kernels_by_layer.h"
#include "analysis/tables/layer_latency.h"
#include "analysis/tables/layer_memory.h"
#include "analysis/tables/metrics_by_layer.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

/// What each stage has of a column, in percent, and the row with most of it: "beginning 52.1 %, … of layer latency".
std::string stages_finding(const Table& table, const ColumnFacts& column, const std::string& what,
                           const ColumnFacts& name_column) {
  const TableCells cells(table);
  std::vector<std::pair<std::string, double>> stages;
  double all = 0;
  size_t longest = kOfNoRow;
  double most = 0;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const auto value = cells.number(row, column);
    if (!value) continue;
    const std::string stage = cells.text(row, columns::kStage);
    auto found = std::find_if(stages.begin(), stages.end(), [&](const auto& s) { return s.first == stage; });
    if (found == stages.end()) found = stages.insert(stages.end(), {stage, 0.0});
    found->second += *value;
    all += *value;
    if (longest == kOfNoRow || *value > most) {
      longest = row;
      most = *value;
    }
  }
  if (all <= 0 || longest == kOfNoRow) return fmt::format("{} is 0 in all layers", what);
  std::string text;
  if (stages.size() > 1) {
    for (const auto& [stage, value] : stages) {
      if (!stage.empty())
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", stage, figure_percent(value / all * 100));
    }
    text += fmt::format(" of {}; ", what);
  }
  const std::string index =
      cells.words(longest, cells.has(kA3.index) ? static_cast<const ColumnFacts&>(kA3.index) : columns::kLayerIndex);
  return fmt::format("{}{} in layer {} ({})", text + "most, ", figure_quantity(most, cells.unit(column)),
                     index.empty() ? "–" : index, figure_name(cells.words(longest, name_column)));
}

}  // namespace

std::vector<Figure> layer_latency_figures(const Table& table) {
  ColumnsSpec spec{"A3.latency", "Layer latency in execution order", "layer", &kA3.index, &kA3.name};
  spec.panels = {{&kA3.latency_ms, "latency"}};
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  figure->finding = sentences({stages_finding(table, kA3.latency_ms, "layer latency", kA3.name)});
  return {std::move(*figure)};
}

std::vector<Figure> layer_memory_figures(const Table& table) {
  ColumnsSpec spec{"A4.memory", "Memory allocated by layers in execution order", "layer", &kA4.index, &kA4.name};
  spec.panels = {{&kA4.alloc_mb, "allocated"}};
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  figure->finding = sentences({stages_finding(table, kA4.alloc_mb, "allocated memory", kA4.name)});
  return {std::move(*figure)};
}

std::vector<Figure> kernels_by_layer_figures(const Table& table) {
  ColumnsSpec spec{"A11.kernels", "Kernel latency and kernels of each layer", "layer", &kA11.layer_index,
                   &kA11.layer_name};
  spec.panels = {{&kA11.kernel_latency_ms, "kernel latency"}, {&kA11.kernel_count, "kernels"}};
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  figure->finding = sentences({stages_finding(table, kA11.kernel_latency_ms, "kernel latency", kA11.layer_name)});
  return {std::move(*figure)};
}

std::vector<Figure> layer_metrics_figures(const Table& table) {
  ColumnsSpec spec{"A12.metrics", "Flops, DRAM reads and DRAM writes of each layer", "layer", &kA12.layer_index,
                   &kA12.layer_name};
  spec.panels = {{&kA12.gflops, "flops"}, {&kA12.dram_read_mib, "DRAM reads"}, {&kA12.dram_write_mib, "DRAM writes"}};
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  const TableCells cells(table);
  const bool counted = cells.has_values(kA12.gflops);
  figure->finding = sentences({stages_finding(table, counted ? kA12.gflops : kA12.dram_read_mib,
                                              counted ? "flops" : "DRAM reads", kA12.layer_name)});
  return {std::move(*figure)};
}

std::vector<Figure> gpu_latency_figures(const Table& table) {
  ColumnsSpec spec{"A13.gpu", "GPU and non-GPU latency of each layer", "layer", &kA13.layer_index, &kA13.layer_name};
  spec.panels = {{&kA13.gpu_ms, "GPU"}, {&kA13.non_gpu_ms, "non-GPU"}};
  spec.stacked = true;
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  double gpu = 0;
  double all = 0;
  size_t without = 0;
  for (const FigurePoint& point : figure->series[0].points) {
    gpu += point.y;
    all += point.y;
    if (point.y == 0) ++without;
  }
  for (const FigurePoint& point : figure->series[1].points) all += point.y;
  const size_t layers = figure->series[0].points.size();
  figure->finding =
      sentences({all > 0 ? fmt::format("{} of the latency of {} is on the GPU ({} of {} ms); {} of them use no GPU",
                                       figure_percent(gpu / all * 100), figure_count(layers, "layer"),
                                       figure_number(gpu), figure_number(all), without)
                         : fmt::format("{} of 0 ms", figure_count(layers, "layer"))});
  return {std::move(*figure)};
}

std::vector<Figure> kernel_latency_figures(const Table& table) {
  ColumnsSpec spec{"A8.latency", "Kernel latency in execution order", "kernel", nullptr, &kA8.kernel_name};
  spec.panels = {{&kA8.latency_ms, "latency"}};
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  const TableCells cells(table);
  std::vector<double> latencies;
  size_t longest = 0;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const auto latency = cells.number(row, kA8.latency_ms);
    if (!latency) continue;
    if (latencies.empty() || *latency > cells.number(longest, kA8.latency_ms).value_or(0)) longest = row;
    latencies.push_back(*latency);
  }
  double all = 0;
  for (const double latency : latencies) all += latency;
  std::sort(latencies.begin(), latencies.end(), std::greater<>());
  size_t half = 0;
  for (double sum = 0; half < latencies.size() && sum < all / 2; ++half) sum += latencies[half];
  figure->finding = sentences(
      {fmt::format("{} of {} take half of the kernel latency ({} ms); the longest takes {} ms ({})", half,
                   figure_count(latencies.size(), "kernel"), figure_number(all), figure_number(latencies.front()),
                   figure_name(kernel_label(cells.words(longest, kA8.kernel_name))))});
  return {std::move(*figure)};
}

}  // namespace xsp::analysis
