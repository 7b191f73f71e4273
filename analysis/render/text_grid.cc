#include "analysis/render/text_grid.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_cells.h"
#include "base/text_encoding.h"

#include "analysis/tables/gpu_latency.h"
#include "analysis/tables/latency_by_layer_type.h"
#include "analysis/tables/layer_type_distribution.h"
#include "analysis/tables/memory_by_layer_type.h"
#include "analysis/tables/model_information.h"

namespace xsp::analysis {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kNarrowest = 12;  // a text column is not cut below this
constexpr size_t kWidestBar = 20;
constexpr size_t kNarrowestBar = 8;

/// Shares of a whole, by which a bar is drawn: the first that a table has.
constexpr std::array<const ColumnFacts*, 5> kShares = {&kA6.latency_pct, &columns::kKernelPct, &kA7.alloc_pct,
                                                       &kA5.count_pct, &kA13.gpu_pct};

std::string text_of(const Cell& value, const Column& column, const TextStyle& style) {
  if (const auto* text = std::get_if<std::string>(&value)) return style.text(printable(*text));
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number, column);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
  return style.text("–");
}

std::string header_of(const Column& column, const TextStyle& style) {
  std::string unit = column.unit;
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::tolower(c); });
  unit.erase(std::remove(unit.begin(), unit.end(), '/'), unit.end());
  const std::string suffix = "_" + unit;
  const bool said = unit.empty() || column.name.ends_with(suffix) || column.name.ends_with(suffix + "s") ||
                    column.name.starts_with(unit) || column.name.starts_with("pct_") ||
                    column.name.find(suffix + "_") != std::string::npos || column.name.ends_with("_pct") ||
                    column.name.ends_with("_per_s");
  return style.text(printable(said ? column.name : column.name + " (" + column.unit + ")"));
}

/// Columns before the decimal point of a number as it is printed.
size_t before_point(std::string_view number) { return std::min(number.find('.'), display_width(number)); }

struct GridColumn {
  std::string name;
  std::string header;
  std::vector<std::string> cells;
  bool numeric = true;
  size_t before = 0;  // of numbers: the most columns in front of a point
  size_t behind = 0;  // and from it on
  size_t width = 0;
  size_t rank = 0;  // 0: the most important
  bool shown = true;
};

std::vector<GridColumn> columns_of(const Table& table, const TextStyle& style,
                                   const std::vector<std::string_view>& important) {
  std::vector<GridColumn> columns;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    GridColumn& column = columns.emplace_back();
    column.name = table.columns[i].name;
    column.header = header_of(table.columns[i], style);
    const auto found = std::find(important.begin(), important.end(), column.name);
    column.rank = found == important.end() ? important.size() + i : static_cast<size_t>(found - important.begin());
    for (const auto& row : table.rows) {
      const Cell empty;
      const Cell& cell = i < row.size() ? row[i] : empty;
      column.cells.push_back(style.cut(text_of(cell, table.columns[i], style), table.columns[i].text_width));
      if (std::holds_alternative<std::string>(cell) || std::holds_alternative<bool>(cell)) column.numeric = false;
    }
    for (const std::string& cell : column.cells) {
      const size_t width = display_width(cell);
      const size_t before = column.numeric ? before_point(cell) : width;
      column.before = std::max(column.before, before);
      column.behind = std::max(column.behind, width - before);
    }
    column.width = std::max(display_width(column.header), column.before + column.behind);
  }
  return columns;
}

size_t total_width(const std::vector<GridColumn>& columns) {
  size_t total = 0;
  for (const GridColumn& column : columns) total += column.shown ? column.width + (total == 0 ? 0 : kGap) : 0;
  return total;
}

bool has_no_value(const Table& table, size_t column) {
  // The columns that say what a throughput is of are useless without one.
  if (table.columns[column].name == kA1.throughput_of.name) {
    const auto throughput = find_column(table, kA1.throughput_per_s);
    if (throughput && has_no_value(table, *throughput)) return true;
  }
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    return column >= row.size() || is_null(row[column]) || row[column] == Cell(std::string("none"));
  });
}

/// The least that a column can be narrowed to: names that tell rows apart keep a third of the line.
size_t least_width(const GridColumn& column, bool tells_rows_apart, size_t line) {
  if (column.numeric) return column.width;
  const size_t least = std::max(display_width(column.header), tells_rows_apart ? line / 3 : kNarrowest);
  return std::min(column.width, least);
}

/// "ci_low_ms" for "ci_high_ms" and vice versa; empty if the column is no end of an interval.
std::string other_end(const std::string& name) {
  constexpr std::string_view kLow = "ci_low";
  constexpr std::string_view kHigh = "ci_high";
  const auto other = [&](std::string_view from, std::string_view to) {
    return std::string(to).append(name.substr(from.size()));
  };
  if (name.starts_with(kLow)) return other(kLow, kHigh);
  return name.starts_with(kHigh) ? other(kHigh, kLow) : std::string();
}

/// Leaves out the least important columns until the others can be narrowed to fit; the first and the most important
/// one stay.
void leave_out(size_t line, std::vector<GridColumn>* columns) {
  while (true) {
    size_t least = 0;
    size_t shown = 0;
    GridColumn* last = nullptr;
    bool names = false;
    for (GridColumn& column : *columns) {
      if (!column.shown) continue;
      ++shown;
      least += least_width(column, !column.numeric && !names, line) + (least == 0 ? 0 : kGap);
      names |= !column.numeric;
      if (last == nullptr || column.rank > last->rank) last = &column;
    }
    if (least <= line || shown < 2) return;
    last->shown = false;
    const std::string other = other_end(last->name);
    for (GridColumn& column : *columns) column.shown &= other.empty() || column.name != other;
  }
}

/// Narrows the widest text columns until a row fits; names that tell rows apart last, below a third of the line.
void narrow(size_t line, std::vector<GridColumn>* columns) {
  const auto names =
      std::find_if(columns->begin(), columns->end(), [](const GridColumn& c) { return c.shown && !c.numeric; });
  for (size_t total = total_width(*columns); total > line; --total) {
    GridColumn* widest = nullptr;
    for (GridColumn& column : *columns) {
      const bool is_kept = names != columns->end() && &column == &*names && column.width <= line / 3;
      if (!column.shown || column.numeric || is_kept || column.width <= kNarrowest) continue;
      if (widest == nullptr || column.width > widest->width) widest = &column;
    }
    if (widest == nullptr && names != columns->end() && names->width > kNarrowest) widest = &*names;
    if (widest == nullptr) return;
    --widest->width;
  }
}

/// A column of bars behind the shares, where there is room.
void add_bars(const Table& table, size_t line, const TextStyle& style, std::vector<GridColumn>* columns) {
  const size_t total = total_width(*columns);
  if (line < total + kGap + kNarrowestBar || table.rows.size() < 2) return;
  for (const ColumnFacts* share : kShares) {
    for (size_t i = 0; i < columns->size(); ++i) {
      if ((*columns)[i].name != share->name || !(*columns)[i].shown) continue;
      GridColumn bars;
      bars.numeric = false;
      bars.width = std::min(kWidestBar, line - total - kGap);
      for (const auto& row : table.rows) {
        const auto* pct = std::get_if<double>(&row[i]);
        bars.cells.push_back(pct == nullptr ? "" : style.bar(*pct / 100, bars.width));
      }
      columns->insert(columns->begin() + static_cast<ptrdiff_t>(i) + 1, std::move(bars));
      return;
    }
  }
}

std::string cell_line(const GridColumn& column, const std::string& cell, bool is_header, const TextStyle& style) {
  if (!column.numeric) {
    const std::string text = style.cut(cell, column.width);
    return text + std::string(column.width - display_width(text), ' ');
  }
  const size_t width = display_width(cell);
  if (is_header) return std::string(column.width - width, ' ') + cell;
  const size_t before = before_point(cell);
  const size_t left = column.width - column.behind - before;
  return std::string(left, ' ') + cell + std::string(column.behind - (width - before), ' ');
}

std::string line_of(const std::vector<GridColumn>& columns, size_t row, const TextStyle& style) {
  constexpr size_t kHeader = SIZE_MAX;
  std::string line;
  bool first = true;
  for (const GridColumn& column : columns) {
    if (!column.shown) continue;
    if (!first) line.append(kGap, ' ');
    first = false;
    line += cell_line(column, row == kHeader ? column.header : column.cells[row], row == kHeader, style);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return (row == kHeader ? style.bold(line) : line) + "\n";
}

}  // namespace

TextGrid lay_out(const Table& table, const ReportOptions& options, const std::vector<std::string_view>& important) {
  const TextStyle& style = options.style;
  std::vector<GridColumn> columns = columns_of(table, style, important);
  TextGrid grid;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!has_no_value(table, i)) continue;
    columns[i].shown = false;
    grid.without_value.push_back(columns[i].name);
  }
  if (grid.without_value.size() == columns.size()) {
    for (GridColumn& column : columns) column.shown = true;
    grid.without_value.clear();
  }
  if (const size_t line = options.width; line != 0) {
    if (total_width(columns) > line) {
      leave_out(line, &columns);
      for (const GridColumn& column : columns) {
        const auto& named = grid.without_value;
        if (column.shown || std::find(named.begin(), named.end(), column.name) != named.end()) continue;
        grid.without_room.push_back(column.name);
      }
      narrow(line, &columns);
    }
    add_bars(table, line, style, &columns);
  }
  grid.lines = line_of(columns, SIZE_MAX, style);
  for (size_t row = 0; row < table.rows.size(); ++row) grid.lines += line_of(columns, row, style);
  return grid;
}

}  // namespace xsp::analysis
