#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace xsp::analysis {

struct Study;
struct Table;
class TableDefinition;

/// What a column says: for its cells, for the heads of pages, for SQLite, and for doc/tables.md, whose columns are the
/// first six.
struct ColumnFacts {
  std::string_view name;
  std::string_view unit;     // empty: none
  std::string_view meaning;  // a sentence
  std::string_view formula;  // empty: it is read, not computed
  std::string_view level;    // the deepest level it needs: M, L, C (library calls), G (kernels), G+metrics
  std::string_view source;   // where the definition comes from, or the value

  size_t text_width = 0;             // longer text is shortened where people read it; 0: as wide as it is
  std::optional<int> decimals = {};  // places behind the point where people read it; else four digits in all
  std::string_view facet = {};       // "layer": on a page rows of all tables with this value are selected together
  bool (*condition)(const Study&) = nullptr;  // the tables of which studies have it; null: of all
  bool left_out_when_empty = false;           // see leave_out_empty_columns()

  constexpr ColumnFacts cut_to(size_t width) const {
    ColumnFacts facts = *this;
    facts.text_width = width;
    return facts;
  }
  constexpr ColumnFacts with_decimals(int places) const {
    ColumnFacts facts = *this;
    facts.decimals = places;
    return facts;
  }
  constexpr ColumnFacts of_facet(std::string_view name_of_facet) const {
    ColumnFacts facts = *this;
    facts.facet = name_of_facet;
    return facts;
  }
  constexpr ColumnFacts only_if(bool (*is_there)(const Study&)) const {
    ColumnFacts facts = *this;
    facts.condition = is_there;
    return facts;
  }
  constexpr ColumnFacts unless_empty() const {
    ColumnFacts facts = *this;
    facts.left_out_when_empty = true;
    return facts;
  }
};

/// A column of one table, and the handle by which its cells are filled and read. It is a member of the table's
/// definition, which has its columns in the order of these members.
struct ColumnDefinition : ColumnFacts {
  constexpr ColumnDefinition(TableDefinition* of, const ColumnFacts& facts);
  ColumnDefinition(const ColumnDefinition&) = delete;
  ColumnDefinition& operator=(const ColumnDefinition&) = delete;

  const TableDefinition* table;
  uint8_t ordinal;  // among the columns of its table, those that are not always there included
};

struct TableFacts {
  std::string_view id;       // "A2"; of a part "D2.states"
  std::string_view title;    // "layer information"
  std::string_view meaning;  // what the table is for, in a sentence
  std::string_view level;    // the deepest level it needs, as that of a column
  std::string_view source;
  Table (*compute)(const Study& study) = {};  // null: a part, which its table makes
  bool (*has_several)(const Study& study) =
      {};  // whether the input has what it is about, else a report of all tables leaves it out; null: yes
};

/// All that is known of a table before it is computed. Each table has a type derived from this one, with its columns as
/// members, and one constant of that type named by its id: kA2.latency_ms is a column of A2. The compiler refuses a
/// table with two columns of one name, or with one that says nothing of itself.
class TableDefinition : public TableFacts {
 public:
  static constexpr size_t kMostColumns = 64;
  static constexpr size_t kMostImportant = 9;

  constexpr explicit TableDefinition(const TableFacts& facts) : TableFacts(facts) {}
  TableDefinition(const TableDefinition&) = delete;
  TableDefinition& operator=(const TableDefinition&) = delete;

  constexpr std::span<const ColumnDefinition* const> columns() const { return {columns_.data(), count_}; }

  /// The column of that name, or null.
  constexpr const ColumnDefinition* column(std::string_view name) const {
    for (const ColumnDefinition* column : columns()) {
      if (column->name == name) return column;
    }
    return nullptr;
  }

  /// The columns to keep on narrow terminals, the most important one first. Shown in the overview.
  std::span<const ColumnDefinition* const> important() const {
    size_t count = 0;
    while (count < kMostImportant && important_[count] != nullptr) ++count;
    return {important_.data(), count};
  }

  /// --top keeps the rows with the largest values of it; null: the first rows.
  const ColumnDefinition* rank_by = nullptr;
  /// Whether the rows that are kept are shown in order of rank or of the table.
  bool show_ranked = false;
  /// The table tells nothing where no row has a value of it; null: every row tells something.
  const ColumnDefinition* measure = nullptr;
  /// Rank in the overview, which has the first tables that tell something; 0: not in the overview.
  uint8_t overview_place = 0;
  /// What is drawn as a line of marks above the rows, and what its rows are; null: nothing.
  const ColumnDefinition* course = nullptr;
  const ColumnDefinition* course_over = nullptr;
  /// What a click on a row selects on a page; empty: nothing.
  std::string_view selects = {};
  /// Rows are single GPU activities: equal row numbers mean the same one in other such tables.
  bool is_of_executions = false;

 protected:
  std::array<const ColumnDefinition*, kMostImportant> important_ = {};

 private:
  friend struct ColumnDefinition;

  constexpr uint8_t add(const ColumnDefinition* column) {
    if (column->meaning.empty() || column->level.empty() || column->source.empty()) throw "a column says nothing";
    if (this->column(column->name) != nullptr) throw "two columns have one name";
    columns_[count_] = column;
    return count_++;
  }

  std::array<const ColumnDefinition*, kMostColumns> columns_ = {};
  uint8_t count_ = 0;
};

constexpr ColumnDefinition::ColumnDefinition(TableDefinition* of, const ColumnFacts& facts)
    : ColumnFacts(facts), table(of), ordinal(of->add(this)) {}

}  // namespace xsp::analysis
