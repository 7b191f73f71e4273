#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/tables/table_definition.h"
#include "base/units.h"

namespace xsp::analysis {

/// A value of a table; std::monostate: the trace cannot give it.
using Cell = std::variant<std::monostate, int64_t, double, std::string, bool>;

inline Cell cell(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }
inline Cell cell(const std::optional<double>& value) { return value ? cell(*value) : Cell(); }
inline Cell cell(const std::optional<bool>& value) { return value ? Cell(*value) : Cell(); }
/// Of times in ns.
inline Cell ms_cell(int64_t ns) { return cell(static_cast<double>(ns) / kNsPerMs); }
inline Cell ms_cell(const std::optional<double>& ns) { return ns ? cell(*ns / kNsPerMs) : Cell(); }
inline Cell count_cell(uint64_t value) { return static_cast<int64_t>(value); }

inline bool is_null(const Cell& value) { return std::holds_alternative<std::monostate>(value); }

/// A column as a table has it: one of its definition, or one that is named by the trace, such as a sweep's parameter.
struct Column {
  std::string name;
  std::string unit;                  // empty: none
  size_t text_width = 0;             // as ColumnFacts
  std::optional<int> decimals = {};  // as ColumnFacts
};

/// A named value beside the rows, such as A1's optimal batch; or a list of numbers, such as the layers of B4's path,
/// which only JSON has.
struct Extra {
  std::string name;
  std::vector<std::pair<std::string, Cell>> fields = {};
  std::optional<std::vector<int64_t>> numbers = {};
};

class TableRow;

/// What an analysis gives and a renderer shows. Text is as recorded; renderers escape it.
struct Table {
  std::string id;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;
  std::vector<Extra> extras;
  std::vector<Table> parts;  // further tables under it, such as L1's picture; their ids are names

  bool lacks_data = false;    // something asked for is not in the trace: with --strict an error
  std::string contradiction;  // numbers that must agree and do not: always an error

  /// --top keeps the rows with the largest values of this column; nothing: the first rows.
  std::optional<size_t> rank_by;
  bool rank_by_magnitude = false;  // the largest without their signs
  /// Whether the rows that are kept are shown in order of rank or of the table.
  bool show_ranked = false;

  const TableDefinition* definition = nullptr;  // null: the columns are of no definition
  std::vector<uint8_t> places = {};             // of the definition's columns, by ordinal: place_of()

  /// Where a column of the definition stands; nothing where this table does not have it.
  std::optional<size_t> place_of(const ColumnDefinition& column) const;
  bool has(const ColumnDefinition& column) const { return place_of(column).has_value(); }
  /// The cell of a column that the table has.
  const Cell& at(size_t row, const ColumnDefinition& column) const { return rows[row][*place_of(column)]; }

  /// A row of nulls at the end, and one that is there already, to be filled by column.
  TableRow add_row();
  TableRow row(size_t number);
};

/// Fills the cells of one row of a table. Valid until a row or a column is added.
class TableRow {
 public:
  TableRow(Table* table, std::vector<Cell>* cells) : table_(*table), cells_(*cells) {}

  /// Does nothing if the table lacks the column because the study has nothing that it is there for.
  void set(const ColumnDefinition& column, Cell value) {
    if (const auto place = table_.place_of(column)) cells_[*place] = std::move(value);
  }

 private:
  const Table& table_;
  std::vector<Cell>& cells_;
};

/// An empty table of the columns that tables of `study` have.
Table make_table(const TableDefinition& definition, const Study& study);
/// The same of a definition whose columns are always there.
Table make_table(const TableDefinition& definition);

/// Adds a column that is in no definition, null in the rows that are there. Returns its place.
size_t append_column(Column column, Table* table);

/// Removes those columns that are to be left out when they are empty, and are.
void leave_out_empty_columns(Table* table);

/// --top keeps the rows with the largest values of this column.
void rank_by(const ColumnDefinition& column, Table* table);

/// A number of a column as people read it: with its decimal places, else four_digits().
std::string number_text(double value, const Column& column);

/// The `top` rows of a table that are kept where there is no room for all, in the order in which they are shown.
std::vector<size_t> top_rows(size_t top, const Table& table);

/// Cuts a table to its `top` rows. Returns how many were left out.
size_t cut_to_top(size_t top, Table* table);

}  // namespace xsp::analysis
