#pragma once

#include <span>
#include <string_view>

namespace xsp::analysis {

/// What a column of a table means: for the page's heads, for SQLite, and for doc/tables.md, which is made from it.
struct ColumnReference {
  std::string_view tables;  // ids, separated by blanks: "A10 A11"; "L1.nested" of a part; empty: every other table
  std::string_view column;
  std::string_view meaning;  // a sentence
  std::string_view formula;  // empty: it is read, not computed
  std::string_view level;    // the deepest level it needs: M, L, C (library calls), G (kernels), G+metrics
  std::string_view source;   // where the definition comes from, or the value
};

/// All of them.
std::span<const ColumnReference> column_references();

/// That of a column, or null. `table` is an id such as "A2", of a part "L1.nested".
const ColumnReference* column_reference(std::string_view table, std::string_view column);

/// What a table is for, in a sentence; empty for an unknown id.
struct TableReference {
  std::string_view id;
  std::string_view meaning;
  std::string_view level;
  std::string_view source;
};
std::span<const TableReference> table_references();
const TableReference* table_reference(std::string_view table);

}  // namespace xsp::analysis
