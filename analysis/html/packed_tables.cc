#include "analysis/html/packed_tables.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/html/column_help.h"
#include "analysis/tables/iteration_statistics.h"
#include "analysis/tables/iterations.h"
#include "analysis/tables/registry.h"
#include "analysis/tables/table.h"
#include "analysis/tables/table_cells.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// What the rows of a table are of, so that rows, points and slices select one another (doc/html.md).
struct TableFacets {
  struct Facet {
    std::string_view name;        // "layer"
    std::vector<size_t> columns;  // several: their values joined; none: it is the row's number in the table
  };
  std::vector<Facet> facets;
  std::string_view selects;  // empty: its rows select nothing
};

constexpr std::array<std::string_view, 5> kFacets = {"layer", "type", "kernel", "call", "function"};

/// An iteration is told by its loop and its number in it.
struct IterationTable {
  const TableDefinition& of;
  const ColumnDefinition& loop;
  const ColumnDefinition& iteration;
};
constexpr std::array kIterationTables = {
    IterationTable{kD1, kD1.loop, kD1.iteration},
    IterationTable{kD2Iterations, kD2Iterations.loop, kD2Iterations.iteration},
};

/// `id` names the analysis, also for tables with columns of their own; of a part "D2.iterations".
TableFacets facets_of(std::string_view id, const Table& table) {
  TableFacets found;
  const TableDefinition* definition = definition_of(id, table);
  if (definition == nullptr) return found;
  for (const std::string_view facet : kFacets) {
    for (const ColumnDefinition* column : definition->columns()) {
      if (column->facet != facet) continue;
      if (const auto place = find_column(table, *column)) found.facets.push_back({facet, {*place}});
    }
  }
  for (const IterationTable& iterations : kIterationTables) {
    const auto loop = find_column(table, iterations.loop);
    const auto iteration = find_column(table, iterations.iteration);
    if (definition == &iterations.of && loop && iteration) found.facets.push_back({"iteration", {*loop, *iteration}});
  }
  if (definition->is_of_executions) found.facets.push_back({"execution", {}});
  const bool has = std::any_of(found.facets.begin(), found.facets.end(),
                               [&](const TableFacets::Facet& facet) { return facet.name == definition->selects; });
  if (has) found.selects = definition->selects;
  return found;
}

std::string json_text(std::string_view recorded) { return nlohmann::json(valid_utf8(recorded)).dump(); }

/// Writes tables piece by piece: a page's largest one has millions of values.
class TableWriter {
 public:
  TableWriter(size_t rows, PackedData* data) : most_rows_(rows), data_(data) {}

  void begin() { buffer_ = "{"; }
  void end() {
    buffer_ += "}\n";
    data_->write(buffer_);
  }

  void write(const std::string& id, const Table& table) {
    append("{}{}:{{\"title\":{},\"count\":{}", first_ ? "" : ",\n", json_text(id), json_text(table.title),
           table.rows.size());
    first_ = false;
    const std::vector<size_t> rows = top_rows(most_rows_, table);
    if (rows.size() < table.rows.size()) {
      append(",\"rows\":[{}]", fmt::join(rows, ","));
    }
    if (table.rank_by) append(",\"rank_by\":{}", *table.rank_by);
    write_facets(facets_of(id, table));
    buffer_ += ",\n\"columns\":[";
    for (size_t column = 0; column < table.columns.size(); ++column) {
      if (column != 0) buffer_ += ",\n";
      write_column(id, table, column, rows);
    }
    buffer_ += "]}";
    for (const Table& part : table.parts) write(id + "." + part.id, part);
  }

 private:
  template <typename... Values>
  void append(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
  }

  void write_facets(const TableFacets& facets) {
    buffer_ += ",\"facets\":{";
    for (size_t i = 0; i < facets.facets.size(); ++i) {
      const TableFacets::Facet& facet = facets.facets[i];
      append("{}\"{}\":", i == 0 ? "" : ",", facet.name);
      if (facet.columns.empty()) {
        buffer_ += "\"row\"";
      } else if (facet.columns.size() == 1) {
        append("{}", facet.columns[0]);
      } else {
        append("[{}]", fmt::join(facet.columns, ","));
      }
    }
    buffer_ += "}";
    if (!facets.selects.empty()) append(",\"selects\":\"{}\"", facets.selects);
  }

  void write_column(const std::string& id, const Table& table, size_t column, const std::vector<size_t>& rows) {
    const auto is_text = [&](size_t row) { return std::holds_alternative<std::string>(table.rows[row][column]); };
    const bool any_text = std::any_of(rows.begin(), rows.end(), is_text);
    const bool only_texts = any_text && std::all_of(rows.begin(), rows.end(), [&](size_t row) {
                              return is_text(row) || is_null(table.rows[row][column]);
                            });
    const Column& head = table.columns[column];
    append("{{\"name\":{},\"unit\":{}", json_text(head.name), json_text(head.unit));
    if (head.decimals) append(",\"decimals\":{}", *head.decimals);
    const TableDefinition* of = definition_of(id, table);
    if (const ColumnDefinition* definition = of == nullptr ? nullptr : of->column(head.name); definition != nullptr) {
      append(",\"about\":{}", json_text(about(*definition)));
    }
    if (only_texts) {
      write_texts(table, column, rows);
    } else {
      write_values(table, column, rows);
    }
    buffer_ += "}";
  }

  void write_texts(const Table& table, size_t column, const std::vector<size_t>& rows) {
    std::unordered_map<std::string_view, size_t> places;
    buffer_ += ",\"texts\":[";
    for (const size_t row : rows) {
      const auto* text = std::get_if<std::string>(&table.rows[row][column]);
      if (text == nullptr || !places.try_emplace(*text, places.size()).second) continue;
      if (places.size() != 1) buffer_ += ",";
      buffer_ += json_text(*text);
      pass_on();
    }
    buffer_ += "],\"values\":[";
    bool first = true;
    for (const size_t row : rows) {
      if (!first) buffer_ += ",";
      first = false;
      const auto* text = std::get_if<std::string>(&table.rows[row][column]);
      if (text == nullptr) {
        buffer_ += "null";
      } else {
        append("{}", places.at(*text));
      }
      pass_on();
    }
    buffer_ += "]";
  }

  void write_values(const Table& table, size_t column, const std::vector<size_t>& rows) {
    buffer_ += ",\"values\":[";
    bool first = true;
    for (const size_t row : rows) {
      if (!first) buffer_ += ",";
      first = false;
      write_value(table.rows[row][column], table.columns[column]);
      pass_on();
    }
    buffer_ += "]";
  }

  void write_value(const Cell& value, const Column& column) {
    if (const auto* number = std::get_if<double>(&value); number != nullptr && std::isfinite(*number)) {
      // Nine digits hold a duration, and not the nanoseconds of a moment.
      append("{:.{}g}", *number, column.decimals ? 15 : 9);
    } else if (const auto* integer = std::get_if<int64_t>(&value)) {
      append("{}", *integer);
    } else if (const auto* truth = std::get_if<bool>(&value)) {
      buffer_ += *truth ? "true" : "false";
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      buffer_ += json_text(*text);
    } else {
      buffer_ += "null";
    }
  }

  void pass_on() {
    constexpr size_t kPiece = 1 << 16;
    if (buffer_.size() < kPiece) return;
    data_->write(buffer_);
    buffer_.clear();
  }

  size_t most_rows_;
  PackedData* data_;
  std::string buffer_;
  bool first_ = true;
};

}  // namespace

void write_packed_tables(const std::vector<Table>& tables, size_t rows, PackedData* data) {
  TableWriter writer(rows, data);
  writer.begin();
  for (const Table& table : tables) writer.write(table.id, table);
  writer.end();
}

}  // namespace xsp::analysis
