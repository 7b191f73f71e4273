#include "analysis/html/static_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/html/column_help.h"
#include "analysis/html/html_text.h"
#include "analysis/tables/registry.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

constexpr size_t kTextWidth = 100;  // a longer text is shortened in its middle, and whole in the title

struct ShownColumn {
  size_t number = 0;
  bool numeric = true;
};

/// The columns that have a value in any row of the table; the names of the others.
std::vector<ShownColumn> shown_columns(const Table& table, std::vector<std::string>* without_value) {
  std::vector<ShownColumn> shown;
  for (size_t number = 0; number < table.columns.size(); ++number) {
    const auto is_empty = [&](const std::vector<Cell>& row) { return is_null(row[number]); };
    if (std::all_of(table.rows.begin(), table.rows.end(), is_empty)) {
      without_value->push_back(table.columns[number].name);
      continue;
    }
    const auto is_number = [&](const std::vector<Cell>& row) {
      return !std::holds_alternative<std::string>(row[number]) && !std::holds_alternative<bool>(row[number]);
    };
    shown.push_back({number, std::all_of(table.rows.begin(), table.rows.end(), is_number)});
  }
  return shown;
}

std::string head_cell(const TableDefinition* of, const Column& column, bool numeric) {
  std::string cell =
      fmt::format("<th scope=\"col\" data-column=\"{}\"{}", html_text(column.name), numeric ? " class=\"n\"" : "");
  if (const ColumnDefinition* definition = of == nullptr ? nullptr : of->column(column.name); definition != nullptr) {
    cell.append(" title=\"").append(html_text(about(*definition))).append("\"");
  }
  cell.append(">").append(html_text(column.name));
  if (!column.unit.empty()) cell += fmt::format(" <small>{}</small>", html_text(column.unit));
  return cell + "</th>";
}

void append_cell(const Cell& value, const Column& column, bool numeric, std::string* out) {
  const std::string text = cell_text(value, column);
  const size_t width = column.text_width == 0 ? kTextWidth : column.text_width;
  const std::string shown = shorten(text, width);
  out->append(numeric ? "<td class=\"n\"" : "<td");
  if (shown.size() != text.size()) {
    out->append(" title=\"").append(html_text(shorten(text, kTitleWidth))).append("\"");
  }
  out->append(">").append(html_text(shown)).append("</td>");
}

/// `columns`: those with a value.
std::string caption(const Table& table, const std::vector<ShownColumn>& columns, size_t shown) {
  if (shown == table.rows.size()) return counted(shown, "row");
  const bool ranked = std::any_of(columns.begin(), columns.end(),
                                  [&](const ShownColumn& column) { return column.number == table.rank_by; });
  const std::string which = ranked ? fmt::format("the largest by {}", table.columns[*table.rank_by].name) : "the first";
  return html_text(
      fmt::format("{} of {}, {}; the rest needs scripts", shown, counted(table.rows.size(), "row"), which));
}

}  // namespace

void write_static_table(const std::string& id, const Table& table, const HtmlOptions& options, ByteSink* sink) {
  if (table.rows.empty()) return;
  std::vector<std::string> without_value;
  const std::vector<ShownColumn> columns = shown_columns(table, &without_value);
  const std::vector<size_t> rows = top_rows(options.static_rows, table);
  const std::string name = html_text(id);
  sink->write(
      fmt::format("<div class=\"rows\" role=\"region\" aria-label=\"rows of {0}\" tabindex=\"0\">"
                  "<table data-table=\"{0}\"><caption>{1}</caption>\n<thead><tr>",
                  name, caption(table, columns, rows.size())));
  const TableDefinition* definition = definition_of(id, table);
  for (const ShownColumn& column : columns) {
    sink->write(head_cell(definition, table.columns[column.number], column.numeric));
  }
  sink->write("</tr></thead>\n<tbody>\n");
  std::string line;
  for (const size_t row : rows) {
    line = fmt::format("<tr data-row=\"{}\">", row);
    for (const ShownColumn& column : columns) {
      append_cell(table.rows[row][column.number], table.columns[column.number], column.numeric, &line);
    }
    line += "</tr>\n";
    sink->write(line);
  }
  sink->write("</tbody></table></div>\n");
  if (options.rows < table.rows.size()) {
    sink->write(
        fmt::format("<p class=\"left-out\">{} of {} rows are in this page: xsp-report -a {} --format csv writes "
                    "all.</p>\n",
                    options.rows, table.rows.size(), html_text(id.substr(0, id.find('.')))));
  }
  if (without_value.empty()) return;
  sink->write(fmt::format("<p class=\"without\">Without a value: {}.</p>\n",
                          html_text(fmt::format("{}", fmt::join(without_value, ", ")))));
}

}  // namespace xsp::analysis
