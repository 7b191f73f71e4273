#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace xsp::analysis {

/// A value of a table; std::monostate: the trace cannot give it.
using Cell = std::variant<std::monostate, int64_t, double, std::string, bool>;

inline Cell cell(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }
inline Cell cell(const std::optional<double>& value) { return value ? cell(*value) : Cell(); }
inline Cell cell(const std::optional<bool>& value) { return value ? Cell(*value) : Cell(); }
inline Cell count_cell(uint64_t value) { return static_cast<int64_t>(value); }

inline bool is_null(const Cell& value) { return std::holds_alternative<std::monostate>(value); }

struct Column {
  std::string name;
  std::string unit;                  // empty: none
  size_t text_width = 0;             // longer text is shortened where people read it; 0: as wide as it is
  std::optional<int> decimals = {};  // places behind the point where people read it; else four digits in all
};

/// A named value beside the rows, such as A1's optimal batch.
struct Extra {
  std::string name;
  std::vector<std::pair<std::string, Cell>> fields;
};

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
};

/// A number of a column as people read it: with its decimal places, else four_digits().
std::string number_text(double value, const Column& column);

/// The `top` rows of a table that are kept where there is no room for all, in the order in which they are shown.
std::vector<size_t> top_rows(size_t top, const Table& table);

/// Cuts a table to its `top` rows. Returns how many were left out.
size_t cut_to_top(size_t top, Table* table);

}  // namespace xsp::analysis
