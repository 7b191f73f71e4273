#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "analysis/render/render.h"
#include "analysis/render/text_encoding.h"

namespace xsp::analysis {
namespace {

constexpr std::string_view kNull = "–";
constexpr size_t kGap = 2;
constexpr size_t kNarrowest = 12;  // a text column is not cut below this

std::string text_of(const Cell& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return printable(*text);
  if (const auto* integer = std::get_if<int64_t>(&value)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value)) return four_digits(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
  return std::string(kNull);
}

std::string header_of(const Column& column) {
  std::string unit = column.unit;
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::tolower(c); });
  unit.erase(std::remove(unit.begin(), unit.end(), '/'), unit.end());
  const std::string suffix = "_" + unit;
  const bool said = unit.empty() || column.name.ends_with(suffix) || column.name.ends_with(suffix + "s") ||
                    column.name.starts_with(unit) || column.name.starts_with("pct_") ||
                    column.name.find(suffix + "_") != std::string::npos || column.name.ends_with("_pct") ||
                    column.name.ends_with("_per_s");
  return said ? column.name : column.name + " (" + column.unit + ")";
}

/// A table as text cells, first row the header.
struct Grid {
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> numeric;
  std::vector<size_t> width;
};

Grid lay_out(const Table& table) {
  Grid grid;
  grid.numeric.assign(table.columns.size(), true);
  auto& header = grid.rows.emplace_back();
  for (const Column& column : table.columns) header.push_back(header_of(column));
  for (const auto& row : table.rows) {
    auto& cells = grid.rows.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) {
      cells.push_back(shorten(text_of(row[i]), table.columns[i].text_width));
      if (std::holds_alternative<std::string>(row[i]) || std::holds_alternative<bool>(row[i])) grid.numeric[i] = false;
    }
  }
  grid.width.assign(table.columns.size(), 0);
  for (const auto& row : grid.rows) {
    for (size_t i = 0; i < row.size(); ++i) grid.width[i] = std::max(grid.width[i], display_width(row[i]));
  }
  return grid;
}

size_t total_width(const Grid& grid) {
  size_t total = kGap * grid.width.size();
  for (const size_t width : grid.width) total += width;
  return total;
}

/// Takes the columns without any value out of a table that is too wide for the terminal; returns their names.
std::vector<std::string> take_empty_columns(Table* table) {
  std::vector<std::string> names;
  for (size_t column = table->columns.size(); column-- > 0;) {
    const auto empty = [&](const auto& row) {
      return is_null(row[column]) || row[column] == Cell(std::string("none"));
    };
    if (!std::all_of(table->rows.begin(), table->rows.end(), empty)) continue;
    const auto at = static_cast<ptrdiff_t>(column);
    names.insert(names.begin(), table->columns[column].name);
    table->columns.erase(table->columns.begin() + at);
    for (auto& row : table->rows) row.erase(row.begin() + at);
  }
  return names;
}

/// Narrows the widest text columns until a row fits.
void fit(size_t terminal, Grid* grid) {
  size_t total = total_width(*grid);
  while (total > terminal) {
    size_t widest = SIZE_MAX;
    for (size_t i = 0; i < grid->width.size(); ++i) {
      if (grid->numeric[i] || grid->width[i] <= kNarrowest) continue;
      if (widest == SIZE_MAX || grid->width[i] > grid->width[widest]) widest = i;
    }
    if (widest == SIZE_MAX) return;
    --grid->width[widest];
    --total;
  }
}

void append_row(const Grid& grid, const std::vector<std::string>& row, std::string* out) {
  std::string line;
  for (size_t i = 0; i < row.size(); ++i) {
    const std::string text = shorten(row[i], grid.width[i]);
    const std::string padding(grid.width[i] - display_width(text), ' ');
    line += std::string(i == 0 ? 0 : kGap, ' ') + (grid.numeric[i] ? padding + text : text + padding);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  *out += line + "\n";
}

/// Notes by the table that printed them: most are about the trace and would stand under every table.
using NotesShown = std::map<std::string, std::string>;

void append_notes(const Table& table, NotesShown* shown, std::string* out) {
  std::set<std::string> elsewhere;
  for (const std::string& note : table.notes) {
    const auto [found, added] = shown->try_emplace(note, table.id);
    if (added) {
      *out += "- " + printable(note) + "\n";
    } else if (found->second != table.id) {
      elsewhere.insert(found->second);
    }
  }
  if (!elsewhere.empty()) *out += fmt::format("- also the notes of {}\n", fmt::join(elsewhere, ", "));
}

void append_table(Table table, const ReportOptions& options, NotesShown* shown, std::string* out) {
  const size_t left_out = cut_to_top(options.top, &table);
  *out += fmt::format("{} {}\n", table.id, table.title);
  if (!table.rows.empty()) {
    Grid grid = lay_out(table);
    std::vector<std::string> without_value;
    if (options.width != 0 && total_width(grid) > options.width) {
      without_value = take_empty_columns(&table);
      grid = lay_out(table);
      fit(options.width, &grid);
    }
    for (const auto& row : grid.rows) append_row(grid, row, out);
    if (!without_value.empty()) *out += fmt::format("- without a value: {}\n", fmt::join(without_value, ", "));
  }
  if (left_out != 0) *out += fmt::format("… {} more row{} (--top 0 shows all)\n", left_out, left_out == 1 ? "" : "s");
  append_notes(table, shown, out);
  for (const Table& part : table.parts) {
    const size_t rows = part.rows.size();
    *out += fmt::format("- {}: {} row{} with --format json or csv\n", part.title, rows, rows == 1 ? "" : "s");
  }
}

}  // namespace

std::string four_digits(double value) {
  if (value == 0) return "0";
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  if (magnitude < -6 || magnitude > 15) return fmt::format("{:.3e}", value);
  return fmt::format("{:.{}f}", value, std::clamp(3 - magnitude, 0, 9));
}

std::string render_text(std::vector<Table> tables, const ReportOptions& options) {
  std::string out = options.finding.empty() ? "" : printable(options.finding) + "\n";
  NotesShown shown;
  for (Table& table : tables) {
    if (!out.empty()) out += "\n";
    append_table(std::move(table), options, &shown, &out);
  }
  return out;
}

}  // namespace xsp::analysis
