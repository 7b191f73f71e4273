#include "analysis/figures/packing_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "analysis/figures/figure_text.h"
#include "analysis/tables/co_scheduling.h"
#include "analysis/tables/packing_picture.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

/// Colours: how much of the GPU a kernel needs, of what it needs most.
struct UseClass {
  double below_pct;
  std::string_view name;
};
constexpr std::array kUseClasses = {
    UseClass{25, "needs below 25 % of the GPU"},
    UseClass{50, "25 to 50 %"},
    UseClass{75, "50 to 75 %"},
    UseClass{1e300, "75 % or more"},
};
constexpr size_t kUnknownUse = kUseClasses.size();

size_t class_of_use(double pct) {
  size_t number = 0;
  while (pct >= kUseClasses[number].below_pct) ++number;
  return number;
}

/// Neighbours in a row, as one.
struct PackedBar {
  FigurePoint point;
  double used = 0;     // percent · ms
  double known = 0;    // ms of kernels whose use is known
  double longest = 0;  // ms, of the kernel that `row` is of
};

/// The bars of one row, in order of time.
class PackedRow {
 public:
  explicit PackedRow(std::string label) : label_(std::move(label)) {}

  void add(const FigurePoint& kernel, const std::optional<double>& used_pct) {
    PackedBar& bar = bars_.emplace_back(PackedBar{kernel, 0, 0, kernel.size});
    if (!used_pct) return;
    bar.used = *used_pct * kernel.size;
    bar.known = kernel.size;
  }

  const std::string& label() const { return label_; }

  /// Joins so many neighbours into one.
  void join(size_t step) {
    std::vector<PackedBar> joined;
    for (size_t i = 0; i < bars_.size(); ++i) {
      if (i % step == 0) {
        joined.push_back(bars_[i]);
        continue;
      }
      PackedBar& bar = joined.back();
      const PackedBar& next = bars_[i];
      bar.point.size = next.point.x + next.point.size - bar.point.x;
      ++bar.point.count;
      bar.used += next.used;
      bar.known += next.known;
      if (next.longest > bar.longest) {
        bar.longest = next.longest;
        bar.point.row = next.point.row;
      }
    }
    bars_ = std::move(joined);
  }

  const std::vector<PackedBar>& bars() const { return bars_; }

 private:
  std::string label_;
  std::vector<PackedBar> bars_;
};

/// Row 0 has the kernels in order, the others those that are packed.
struct PackedRows {
  std::vector<PackedRow> rows;
  size_t not_drawn = 0;
};

PackedRows packed_rows_of(const TableCells& cells) {
  PackedRows result;
  for (size_t i = 0; i < cells.rows(); ++i) {
    const auto begin = cells.number(i, kR2Packing.begin_ms);
    const auto latency = cells.number(i, kR2Packing.latency_ms);
    if (!begin || !latency) continue;
    size_t row = 0;
    if (cells.text(i, kR2Packing.order) == kPacked) {
      row = 1 + static_cast<size_t>(std::clamp(cells.number(i, kR2Packing.lane).value_or(0), 0.0, 1e6));
    }
    if (row > kMostPackedRows) {
      ++result.not_drawn;
      continue;
    }
    while (result.rows.size() <= row) {
      const size_t number = result.rows.size();
      result.rows.emplace_back(number == 0   ? std::string(kInOrder)
                               : number == 1 ? std::string(kPacked)
                                             : fmt::format("beside {}", number - 1));
    }
    result.rows[row].add({.x = *begin, .size = *latency, .row = i}, cells.number(i, kR2Packing.used_pct));
  }
  return result;
}

std::string packing_finding(const TableCells& bound) {
  const auto serial = bound.number(0, kR2.serial_ms);
  const auto packed = bound.number(0, kR2.packed_ms);
  const auto least = bound.number(0, kR2.bound_ms);
  if (!serial || !packed || !least) return {};
  return sentences(
      {fmt::format("One after another the kernels take {}, packed side by side {}; no order takes less "
                   "than {} (set by: {})",
                   figure_quantity(*serial, "ms"), figure_quantity(*packed, "ms"), figure_quantity(*least, "ms"),
                   bound.text(0, kR2.limited_by))});
}

}  // namespace

std::vector<Figure> packing_figures(const Table& table) {
  const Table* part = part_of(table, kR2Packing);
  if (part == nullptr || part->rows.empty()) return {};
  PackedRows packed = packed_rows_of(TableCells(*part));
  if (packed.rows.size() < 2) return {};
  Figure figure;
  figure.id = "R2.packing";
  figure.table = table.id + "." + part->id;
  figure.title = "Kernels in order and packed side by side";
  figure.kind = FigureKind::kStrip;
  figure.x = {"time of kernels, without launches", "ms"};
  std::vector<std::string> notes;
  notes.emplace_back("No measurement: blocks are taken to last as long side by side as alone");
  size_t most_joined = 1;
  for (PackedRow& row : packed.rows) {
    const size_t step = (row.bars().size() + kMostPackedBars - 1) / kMostPackedBars;
    if (step > 1) row.join(step);
    most_joined = std::max(most_joined, step);
    figure.y.push_back({row.label(), "", Axis::Scale::kCategory});
  }
  // Series of one colour stand together: they have one entry in the legend.
  for (size_t number = 0; number <= kUnknownUse; ++number) {
    for (size_t depth = 0; depth < packed.rows.size(); ++depth) {
      Series series{std::string(number == kUnknownUse ? "not known" : kUseClasses[number].name), figure.x.unit};
      series.depth = depth;
      series.color = number;
      for (const PackedBar& bar : packed.rows[depth].bars()) {
        const size_t of_bar = bar.known > 0 ? class_of_use(bar.used / bar.known) : kUnknownUse;
        if (of_bar == number) series.points.push_back(bar.point);
      }
      if (!series.points.empty()) figure.series.push_back(std::move(series));
    }
  }
  if (most_joined > 1) notes.push_back(fmt::format("Each bar is up to {} consecutive kernels", most_joined));
  if (packed.not_drawn != 0) {
    notes.push_back(fmt::format("{} not drawn, as {} others run at the same time",
                                figure_count(packed.not_drawn, "kernel"), kMostPackedRows));
  }
  figure.finding = packing_finding(TableCells(table));
  figure.note = sentences(notes);
  return {std::move(figure)};
}

}  // namespace xsp::analysis
