#include "analysis/figures/distribution_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/bars_figure.h"
#include "analysis/figures/figure_text.h"
#include "analysis/tables/kernels_by_name.h"
#include "analysis/tables/latency_by_layer_type.h"
#include "analysis/tables/layer_information.h"
#include "analysis/tables/layer_type_distribution.h"
#include "analysis/tables/library_functions.h"
#include "analysis/tables/memory_by_layer_type.h"
#include "analysis/tables/models.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

double sum_of(const std::vector<Bar>& bars) {
  double sum = 0;
  for (const Bar& bar : bars) sum += bar.value;
  return sum;
}

/// How many of the longest have 80 % of the whole: "3 of 16 layer types have 80 %".
std::string concentration(std::vector<Bar> bars, const std::string& noun) {
  if (bars.size() < 3) return "";
  const double whole = sum_of(bars);
  std::sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.value > b.value; });
  size_t count = 0;
  for (double sum = 0; count < bars.size() && sum < 0.8 * whole; ++count) sum += bars[count].value;
  return fmt::format("{} of {} {} 80 %", count, figure_count(bars.size(), noun), count == 1 ? "has" : "have");
}

/// "Conv2d has 86.2 % of layer latency (5.2 ms); 3 of 16 layer types have 80 %."
std::string share_finding(const Figure& figure, const std::vector<Bar>& bars, const std::string& what,
                          const std::string& noun) {
  const double whole = sum_of(bars);
  const double longest = figure.series[0].points[0].x;
  if (!(whole > 0)) return sentences({fmt::format("{} is 0 for all {}s", what, noun)});
  std::string first =
      fmt::format("{} has {} of {} ({})", figure_name(figure.labels[0]), figure_percent(longest / whole * 100), what,
                  figure_quantity(longest, figure.series[0].unit));
  const std::string rest = concentration(bars, noun);
  return sentences({rest.empty() ? first : first + "; " + rest});
}

struct ShareSpec {
  BarsSpec bars;
  std::vector<const ColumnFacts*> names;
  const ColumnFacts& column;
  std::string what;         // the whole: "layer latency"
  bool of_kernels = false;  // names are those of kernels
};

std::vector<Figure> share_figures(const Table& table, ShareSpec spec) {
  std::vector<Bar> bars = bars_of(table, spec.names, spec.column);
  if (spec.of_kernels) {
    for (Bar& bar : bars) bar.label = kernel_label(bar.label);
  }
  spec.bars.unit = TableCells(table).unit(spec.column);
  auto figure = bars_figure(table, spec.bars, bars);
  if (!figure) return {};
  figure->finding = share_finding(*figure, bars, spec.what, spec.bars.noun);
  figure->note = sentences({figure->note, missing_note(table, spec.column, spec.bars.noun)});
  return {std::move(*figure)};
}

}  // namespace

std::vector<Figure> longest_layer_figures(const Table& table) {
  return share_figures(table, {{"A2.longest", "The longest layers", "latency", "", "layer", RemainingBars::kNote},
                               {&kA2.index, &kA2.name},
                               kA2.latency_ms,
                               "layer latency"});
}

std::vector<Figure> layer_type_figures(const Table& table) {
  return share_figures(
      table, {{"A5.types", "Layers by type", "layers", "", "layer type"}, {&kA5.type}, kA5.count, "all layers"});
}

std::vector<Figure> latency_by_type_figures(const Table& table) {
  return share_figures(table, {{"A6.latency", "Layer latency by type", "latency", "", "layer type"},
                               {&kA6.type},
                               kA6.latency_ms,
                               "layer latency"});
}

std::vector<Figure> memory_by_type_figures(const Table& table) {
  return share_figures(table, {{"A7.memory", "Memory allocated by layer type", "allocated", "", "layer type"},
                               {&kA7.type},
                               kA7.alloc_mb,
                               "allocated memory"});
}

std::vector<Figure> kernels_by_name_figures(const Table& table) {
  std::vector<Figure> figures =
      share_figures(table, {{"A10.latency", "Kernel latency by name", "latency", "", "kernel name"},
                            {&kA10.kernel_name},
                            kA10.latency_ms,
                            "kernel latency",
                            true});
  if (!figures.empty()) add_cumulative_share(sum_of(bars_of(table, {}, kA10.latency_ms)), &figures[0]);
  return figures;
}

std::vector<Figure> library_function_figures(const Table& table) {
  const TableCells cells(table);
  // host_ms counts the calls inside a call twice; self_ms adds up to the whole.
  const ColumnDefinition& host = cells.has_values(kC2.self_ms) ? kC2.self_ms : kC2.host_ms;
  std::vector<Figure> figures = share_figures(
      table, {{"C2.host", "Time in library functions on the host, without calls inside them", "host", "", "function"},
              {&kC2.library, &kC2.function},
              host,
              "host time in library calls"});
  const std::vector<Bar> kernels = bars_of(table, {}, kC2.kernel_ms);
  if (sum_of(kernels) > 0) {
    std::vector<Bar> launching = bars_of(table, {&kC2.library, &kC2.function}, kC2.kernel_ms);
    std::erase_if(launching, [](const Bar& bar) { return bar.value == 0; });
    const BarsSpec spec{"C2.device", "Time on the device by the function that launched it", "device",
                        cells.unit(kC2.kernel_ms), "function"};
    if (auto figure = bars_figure(table, spec, launching)) {
      figure->finding = share_finding(*figure, launching, "the device time of library calls", "function");
      if (const size_t none = kernels.size() - launching.size(); none != 0) {
        figure->note = sentences(
            {figure->note, fmt::format("{} that launched nothing not drawn", figure_count(none, "function"))});
      }
      figures.push_back(std::move(*figure));
    }
  }
  return figures;
}

std::vector<Figure> model_figures(const Table& table) {
  const TableCells cells(table);
  const std::vector<const ColumnFacts*> names = {&kM1.name, &kM1.input, &kM1.system, &kM1.rank};
  std::vector<Figure> figures;
  const auto add = [&](const BarsSpec& spec, const ColumnFacts& column, const std::string& text) {
    const std::vector<Bar> bars = bars_of(table, names, column);
    auto figure = bars_figure(table, spec, bars);
    if (!figure) return;
    const double first = figure->series[0].points.front().x;
    const double last = figure->series[0].points.back().x;
    figure->finding = sentences(
        {bars.size() == 1
             ? fmt::format("{} {} {}", figure_name(figure->labels[0]), text, figure_quantity(first, spec.unit))
             : fmt::format("{} {}, from {} to {}", figure_count(bars.size(), "model"), text,
                           figure_quantity(last, spec.unit), figure_quantity(first, spec.unit))});
    figure->note = sentences({figure->note, missing_note(table, column, "model")});
    figures.push_back(std::move(*figure));
  };
  add({"M1.throughput", "Largest throughput of each model", "throughput", cells.unit(kM1.max_throughput_per_s), "model",
       RemainingBars::kNote, false},
      kM1.max_throughput_per_s, "with a largest throughput");
  add({"M1.latency", "Latency of each model at batch size 1", "latency", cells.unit(kM1.online_latency_ms), "model",
       RemainingBars::kNote, false},
      kM1.online_latency_ms, "with a latency at batch size 1");
  return figures;
}

}  // namespace xsp::analysis
