#include "analysis/figures/wave_figures.h"

#include <fmt/format.h>

#include "analysis/figures/bars_figure.h"
#include "analysis/figures/figure_text.h"
#include "analysis/tables/kernel_waves.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

/// "21.1 % of kernel time is in kernels that launch less than one wave of blocks": of R1's sums.
std::vector<std::string> sums_of(const Table& table) {
  for (const Extra& extra : table.extras) {
    if (extra.name != wave_extras::kSums) continue;
    std::optional<double> below;
    std::optional<double> idle;
    for (const auto& [name, value] : extra.fields) {
      if (name == wave_extras::kBelowOnePct) below = number_of(value);
      if (name == wave_extras::kIdleSlotsPct) idle = number_of(value);
    }
    if (!below || !idle) return {};
    return {
        fmt::format("{} of kernel time is in kernels that launch less than one wave of blocks", figure_percent(*below)),
        fmt::format("Weighted by time, {} of the slots for blocks stay empty, an upper bound of what could be saved",
                    figure_percent(*idle))};
  }
  return {};
}

/// "The largest part, 34.2 %, is in kernels of 1 to 2 waves".
std::string longest_range(const TableCells& cells) {
  const auto longest = cells.largest(kR1Waves.latency_ms);
  if (!longest || !cells.number(*longest, kR1Waves.latency_pct)) return {};
  const std::string range = cells.text(*longest, kR1Waves.waves);
  const std::string share = figure_percent(*cells.number(*longest, kR1Waves.latency_pct));
  const std::string part = fmt::format("The largest part, {}, is in kernels", share);
  if (range == wave_ranges::kCommunication) return part + " that move data between ranks";
  if (cells.number(*longest, kR1Waves.tail_ms)) return fmt::format("{} of {} waves", part, range);
  return part + " whose waves are not known";
}

}  // namespace

std::vector<Figure> wave_figures(const Table& table) {
  const Table* part = part_of(table, kR1Waves);
  if (part == nullptr) return {};
  const TableCells cells(*part);
  const double whole = cells.sum(kR1Waves.latency_ms).value_or(0);
  bool is_known = false;
  for (size_t row = 0; row < cells.rows(); ++row) {
    is_known |= cells.number(row, kR1Waves.tail_ms) && cells.number(row, kR1Waves.latency_ms).value_or(0) > 0;
  }
  if (!is_known) return {};
  BarsSpec spec{"R1.waves", "Kernel time by number of waves", "kernel time", cells.unit(kR1Waves.latency_ms), "waves"};
  spec.ranked = false;
  auto figure = bars_figure(table, spec, bars_of(*part, {&kR1Waves.waves}, kR1Waves.latency_ms));
  if (!figure) return {};
  figure->table = table.id + "." + part->id;
  add_cumulative_share(whole, &*figure);
  std::vector<std::string> finding = sums_of(table);
  finding.push_back(longest_range(cells));
  figure->finding = sentences(finding);
  figure->note =
      "One wave is as many blocks as the GPU holds at a time. A block is faster where fewer share its multiprocessor.";
  return {std::move(*figure)};
}

}  // namespace xsp::analysis
