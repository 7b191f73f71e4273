#include "analysis/figures/roofline_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/figures/roofline_paths.h"
#include "analysis/figures/roofline_points.h"
#include "analysis/tables/kernel_roofline.h"
#include "analysis/tables/kernels_by_model.h"
#include "analysis/tables/layer_roofline.h"
#include "analysis/tables/models.h"
#include "analysis/tables/table_cells.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

constexpr size_t kMostPoints = 10'000;  // the heaviest; a page stays fluid with so many
constexpr size_t kListed = 10;
constexpr size_t kNameWidth = 72;

/// What differs between the four tables.
struct RooflineKind {
  const TableDefinition& of;
  std::string_view title;
  const ColumnFacts& time;
  std::string_view one;  // of its rows
  std::string_view several;
};

constexpr std::array kKinds = {
    RooflineKind{kA9, "Roofline of kernels", kA9.latency_ms, "kernel", "kernels"},
    RooflineKind{kA14, "Roofline of layers", kA14.latency_ms, "layer", "layers"},
    RooflineKind{kA15, "Roofline over batch sizes", kA15.kernel_latency_ms, "row", "rows"},
    RooflineKind{kM1, "Roofline of models", kM1.kernel_latency_ms, "model", "models"},
};

/// "3 kernels"
std::string counted(const RooflineKind& kind, size_t count) {
  return fmt::format("{} {}", count, count == 1 ? kind.one : kind.several);
}

std::string share(double part, double whole) {
  if (!(whole > 0) || !(part > 0)) return "0 %";
  return 100 * part / whole < 0.05 ? std::string("under 0.1 %") : fmt::format("{:.1f} %", 100 * part / whole);
}

bool is_alike(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

/// The roofs of the rows' cells. A mixed type has a roof of its own in each row, which belongs to no data type.
class Roofs {
 public:
  explicit Roofs(const std::vector<RooflineRow>& rows) {
    for (const RooflineRow& row : rows) {
      if (!has_roof(row) || find(row) != roofs_.end()) continue;
      roofs_.push_back({row.type, *row.peak, *row.bandwidth});
      ++of_type_[row.type];
    }
    std::stable_sort(roofs_.begin(), roofs_.end(), [](const Roof& a, const Roof& b) { return a.peak > b.peak; });
  }

  std::string name_of(const RooflineRow& row) const {
    if (row.type.starts_with("mixed")) return "mixed";
    const auto found = has_roof(row) ? find(row) : roofs_.end();
    return found == roofs_.end() ? row.type : label(*found);
  }

  std::vector<Roof> labelled() const {
    std::vector<Roof> labelled = roofs_;
    for (Roof& roof : labelled) roof.name = label(roof);
    return labelled;
  }

 private:
  static bool has_roof(const RooflineRow& row) {
    return row.undrawn == Undrawn::kNot && !row.type.empty() && !row.type.starts_with("mixed") && row.peak &&
           row.bandwidth;
  }

  std::vector<Roof>::const_iterator find(const RooflineRow& row) const {
    return std::find_if(roofs_.begin(), roofs_.end(), [&](const Roof& roof) {
      return roof.name == row.type && is_alike(roof.peak, *row.peak) && is_alike(roof.bandwidth_gbs, *row.bandwidth);
    });
  }

  /// Of several devices one type has several roofs.
  std::string label(const Roof& roof) const {
    if (of_type_.at(roof.name) == 1) return roof.name;
    return fmt::format("{} ({:.4g} TFLOPS, {:.4g} GB/s)", roof.name, roof.peak, roof.bandwidth_gbs);
  }

  std::vector<Roof> roofs_;
  std::map<std::string, size_t> of_type_;
};

std::string series_name(const Series& series) {
  const std::string roof = series.roof.empty() ? "type not known" : series.roof;
  const std::string bound = series.bound.empty() ? "bound not known" : series.bound + "-bound";
  return fmt::format("{}, {}, {}", roof, bound, series.source == "counters" ? "by counters" : "by arguments");
}

/// The rows that are drawn, the heaviest first.
std::vector<const RooflineRow*> drawn_rows(const std::vector<RooflineRow>& rows) {
  std::vector<const RooflineRow*> drawn;
  for (const RooflineRow& row : rows) {
    if (row.undrawn == Undrawn::kNot) drawn.push_back(&row);
  }
  std::stable_sort(drawn.begin(), drawn.end(), [](const auto* a, const auto* b) { return a->time > b->time; });
  if (drawn.size() > kMostPoints) drawn.resize(kMostPoints);
  return drawn;
}

void add_series(const std::vector<const RooflineRow*>& drawn, const Roofs& roofs, Figure* figure) {
  std::map<std::tuple<std::string, std::string, std::string>, size_t> numbers;
  for (const RooflineRow* row : drawn) {
    const auto key = std::tuple(roofs.name_of(*row), row->bound, row->source);
    const auto [found, added] = numbers.try_emplace(key, figure->series.size());
    if (added) {
      Series series{.unit = "TFLOPS"};
      std::tie(series.roof, series.bound, series.source) = key;
      series.name = series_name(series);
      figure->series.push_back(std::move(series));
    }
    figure->series[found->second].points.push_back({*row->intensity, *row->throughput, row->time, row->row});
  }
}

double decade_below(double value) { return std::pow(10, std::floor(std::log10(value) + 1e-9)); }
double decade_above(double value) { return std::pow(10, std::ceil(std::log10(value) - 1e-9)); }

/// Left of the lowest ridge everything is bound by memory, right of the highest by compute; in between it depends on
/// the data type.
void add_regions(Figure* figure) {
  if (figure->roofs.empty()) return;
  const auto [low, high] = std::minmax_element(figure->roofs.begin(), figure->roofs.end(),
                                               [](const auto& a, const auto& b) { return ridge_of(a) < ridge_of(b); });
  double from = ridge_of(*low) / 10;
  double to = ridge_of(*high) * 10;
  for (const Series& series : figure->series) {
    for (const FigurePoint& point : series.points) {
      from = std::min(from, point.x);
      to = std::max(to, point.x);
    }
  }
  figure->regions = {{"memory-bound", decade_below(from), ridge_of(*low)},
                     {"compute-bound", ridge_of(*high), decade_above(to)}};
}

std::string name_of_row(const Table& table, size_t row) {
  const TableCells cells(table);
  std::string name;
  if (table.id == kA9.id) {
    name = cells.words(row, kA9.kernel_name);
  } else if (table.id == kA14.id) {
    const auto index = cells.number(row, kA14.layer_index);
    name = (index ? fmt::format("{:.0f} ", *index) : std::string()) + cells.words(row, kA14.layer_name);
  } else if (table.id == kA15.id) {
    const auto batch = cells.number(row, kA15.batch_size);
    name = cells.words(row, kA15.model) + (batch ? fmt::format(", batch size {:.0f}", *batch) : std::string());
  } else {
    name = cells.words(row, kM1.name);
  }
  return shorten(printable(name), kNameWidth);
}

/// For A9, whose kernel names repeat, a name; for the others a row.
std::string identity_of(const Table& table, size_t row) {
  return table.id == kA9.id ? TableCells(table).words(row, kA9.kernel_name) : std::to_string(row);
}

struct Sum {
  size_t count = 0;
  double time = 0;
  void add(const RooflineRow& row) {
    ++count;
    time += row.time;
  }
};

/// What takes most time gets a number, at the longest of its points.
void list_longest(const Table& table, const std::vector<const RooflineRow*>& drawn, Figure* figure) {
  std::map<std::string, size_t> numbers;
  std::vector<std::pair<Sum, size_t>> sums;  // and the row of the longest
  for (const RooflineRow* row : drawn) {
    const auto [found, added] = numbers.try_emplace(identity_of(table, row->row), sums.size());
    if (added) sums.emplace_back(Sum(), row->row);
    sums[found->second].first.add(*row);
  }
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.first.time > b.first.time; });
  if (sums.size() > kListed) sums.resize(kListed);
  for (const auto& [sum, row] : sums) {
    const std::string times = sum.count == 1 ? std::string() : fmt::format("{} times, ", sum.count);
    figure->listed.push_back(
        {row, fmt::format("{} ({}{})", name_of_row(table, row), times, share(sum.time, figure->total))});
  }
}

std::string undrawn_note(const RooflineKind& kind, const std::vector<RooflineRow>& rows, double total) {
  static constexpr std::pair<Undrawn, std::string_view> kReasons[] = {
      {Undrawn::kNoFlops, "without floating-point operations"},
      {Undrawn::kAuxiliary, "whose work is counted at another kernel of the same operator"},
      {Undrawn::kSplit, "that share one operator's work with other kernels, so they have no throughput"},
      {Undrawn::kUnknown, "with unknown work"},
  };
  std::map<Undrawn, Sum> sums;
  Sum all;
  for (const RooflineRow& row : rows) {
    if (row.undrawn == Undrawn::kNot) continue;
    sums[row.undrawn].add(row);
    all.add(row);
  }
  if (all.count == 0) return {};
  std::string note = fmt::format("Not drawn: {} of {} with {} of the time (", all.count, counted(kind, rows.size()),
                                 share(all.time, total));
  std::string_view separator;
  for (const auto& [reason, text] : kReasons) {
    if (sums[reason].count == 0) continue;
    note += fmt::format("{}{} with {} {}", separator, sums[reason].count, share(sums[reason].time, total), text);
    separator = "; ";
  }
  return note + ")";
}

std::string note_of(const RooflineKind& kind, const std::vector<RooflineRow>& rows,
                    const std::vector<const RooflineRow*>& drawn, const Figure& figure) {
  std::vector<std::string> notes;
  if (std::string note = undrawn_note(kind, rows, figure.total); !note.empty()) notes.push_back(std::move(note));
  Sum known;
  Sum shown;
  for (const RooflineRow& row : rows) {
    if (row.undrawn == Undrawn::kNot) known.add(row);
  }
  for (const RooflineRow* row : drawn) shown.add(*row);
  if (shown.count < known.count) {
    notes.push_back(fmt::format("Only the {} with most time are drawn: {} more have {} of the time",
                                counted(kind, shown.count), known.count - shown.count,
                                share(known.time - shown.time, figure.total)));
  }
  const auto is_mixed = [](const Series& series) { return series.roof == "mixed"; };
  if (std::any_of(figure.series.begin(), figure.series.end(), is_mixed)) {
    notes.emplace_back("Roofs of mixed data types are not drawn (see peak_tflops of the row)");
  }
  if (figure.roofs.empty()) notes.emplace_back("No roofs: the GPU's peaks are unknown (--gpu NAME)");
  return notes.empty() ? std::string() : fmt::format("{}.", fmt::join(notes, ". "));
}

std::string finding_of(const RooflineKind& kind, const Table& table, const std::vector<const RooflineRow*>& drawn,
                       const Figure& figure) {
  Sum memory;
  Sum compute;
  Sum all;
  for (const RooflineRow* row : drawn) {
    all.add(*row);
    if (row->bound == "memory") memory.add(*row);
    if (row->bound == "compute") compute.add(*row);
  }
  // The rows of A9 and A14 are parts of one evaluation; those of A15 and M1 are evaluations.
  const bool of_parts = table.id == kA9.id || table.id == kA14.id;
  std::string text = counted(kind, all.count);
  if (of_parts) text += fmt::format(" with {} of {:.4g} ms", share(all.time, figure.total), figure.total);
  const auto bound = [&](const Sum& sum, std::string_view name) {
    return fmt::format("{} {}", sum.count, name) +
           (of_parts ? fmt::format(" with {} of the time", share(sum.time, figure.total)) : std::string());
  };
  if (memory.count + compute.count != 0) {
    text += fmt::format(": {}, {}", bound(memory, "memory-bound"), bound(compute, "compute-bound"));
  }
  const RooflineRow& longest = *drawn.front();
  if (longest.pct_of_roof) {
    text += fmt::format("; the longest, {}, reaches {:.3g} % of its roof", name_of_row(table, longest.row),
                        *longest.pct_of_roof);
  }
  return text + ".";
}

}  // namespace

double ridge_of(const Roof& roof) { return roof.peak * 1e12 / (roof.bandwidth_gbs * 1e9); }

std::vector<Figure> roofline_figures_of(const Table& table) {
  const auto kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const RooflineKind& each) { return each.of.id == table.id; });
  if (kind == kKinds.end()) return {};
  const std::vector<RooflineRow> rows = roofline_rows(table, kind->time);
  const std::vector<const RooflineRow*> drawn = drawn_rows(rows);
  if (drawn.empty()) return {};
  Figure figure;
  figure.id = table.id + ".roofline";
  figure.table = table.id;
  figure.title = kind->title;
  figure.kind = FigureKind::kRoofline;
  figure.x = {"arithmetic intensity", "flop/B", Axis::Scale::kLog10};
  figure.y = {{"throughput", "TFLOPS", Axis::Scale::kLog10}};
  figure.total =
      std::accumulate(rows.begin(), rows.end(), 0.0, [](double sum, const RooflineRow& row) { return sum + row.time; });
  const Roofs roofs(rows);
  figure.roofs = roofs.labelled();
  add_series(drawn, roofs, &figure);
  add_regions(&figure);
  list_longest(table, drawn, &figure);
  if (table.id == kA15.id) figure.paths = batch_paths(table, rows);
  figure.note = note_of(*kind, rows, drawn, figure);
  figure.finding = finding_of(*kind, table, drawn, figure);
  return {std::move(figure)};
}

}  // namespace xsp::analysis
