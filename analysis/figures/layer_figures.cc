#include "analysis/figures/layer_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/figures/columns_figure.h"
#include "analysis/figures/figure_text.h"
#include "analysis/figures/table_cells.h"

namespace xsp::analysis {
namespace {

/// What each stage has of a column, in percent, and the row with most of it: "beginning 52.1 %, … of layer latency".
std::string stages_finding(const Table& table, const std::string& column, const std::string& what,
                           const std::string& name_column) {
  const TableCells cells(table);
  std::vector<std::pair<std::string, double>> stages;
  double all = 0;
  size_t longest = kOfNoRow;
  double most = 0;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const auto value = cells.number(row, column);
    if (!value) continue;
    const std::string stage = cells.text(row, "stage");
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
  const std::string index = cells.has("index") ? cells.text(longest, "index") : cells.text(longest, "layer_index");
  return fmt::format("{}{} in layer {} ({})", text + "most, ", figure_quantity(most, cells.unit(column)),
                     index.empty() ? "–" : index, figure_name(cells.text(longest, name_column)));
}

}  // namespace

std::vector<Figure> layer_latency_figures(const Table& table) {
  ColumnsSpec spec{"A3.latency", "Layer latency in execution order", "layer", "index", "name"};
  spec.panels = {{"latency_ms", "latency"}};
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  figure->finding = sentences({stages_finding(table, "latency_ms", "layer latency", "name")});
  return {std::move(*figure)};
}

std::vector<Figure> layer_memory_figures(const Table& table) {
  ColumnsSpec spec{"A4.memory", "Memory allocated by layers in execution order", "layer", "index", "name"};
  spec.panels = {{"alloc_mb", "allocated"}};
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  figure->finding = sentences({stages_finding(table, "alloc_mb", "allocated memory", "name")});
  return {std::move(*figure)};
}

std::vector<Figure> kernels_by_layer_figures(const Table& table) {
  ColumnsSpec spec{"A11.kernels", "Kernel latency and kernels of each layer", "layer", "layer_index", "layer_name"};
  spec.panels = {{"kernel_latency_ms", "kernel latency"}, {"kernel_count", "kernels"}};
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  figure->finding = sentences({stages_finding(table, "kernel_latency_ms", "kernel latency", "layer_name")});
  return {std::move(*figure)};
}

std::vector<Figure> layer_metrics_figures(const Table& table) {
  ColumnsSpec spec{"A12.metrics", "Flops, DRAM reads and DRAM writes of each layer", "layer", "layer_index",
                   "layer_name"};
  spec.panels = {{"gflops", "flops"}, {"dram_read_mib", "DRAM reads"}, {"dram_write_mib", "DRAM writes"}};
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  const TableCells cells(table);
  const bool counted = cells.has_values("gflops");
  figure->finding = sentences(
      {stages_finding(table, counted ? "gflops" : "dram_read_mib", counted ? "flops" : "DRAM reads", "layer_name")});
  return {std::move(*figure)};
}

std::vector<Figure> gpu_latency_figures(const Table& table) {
  ColumnsSpec spec{"A13.gpu", "GPU and non-GPU latency of each layer", "layer", "layer_index", "layer_name"};
  spec.panels = {{"gpu_ms", "GPU"}, {"non_gpu_ms", "non-GPU"}};
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
  ColumnsSpec spec{"A8.latency", "Kernel latency in execution order", "kernel", "", "kernel_name"};
  spec.panels = {{"latency_ms", "latency"}};
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  const TableCells cells(table);
  std::vector<double> latencies;
  size_t longest = 0;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const auto latency = cells.number(row, "latency_ms");
    if (!latency) continue;
    if (latencies.empty() || *latency > cells.number(longest, "latency_ms").value_or(0)) longest = row;
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
                   figure_name(kernel_label(cells.text(longest, "kernel_name"))))});
  return {std::move(*figure)};
}

}  // namespace xsp::analysis
