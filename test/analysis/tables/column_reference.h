#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "analysis/tables/table_definition.h"

namespace xsp::test {

inline std::string reference_cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

/// A section of a document's list of tables: a row each column.
inline void print_table(const analysis::TableDefinition& table) {
  std::printf("\n## %s %s\n", std::string(table.id).c_str(), std::string(table.title).c_str());
  std::printf("%s. Needs: %s. Source: %s.\n\n", reference_cell(table.meaning).c_str(), std::string(table.level).c_str(),
              std::string(table.source).c_str());
  std::printf("| column | unit | what it says | formula | level | source |\n|---|---|---|---|---|---|\n");
  for (const analysis::ColumnDefinition* column : table.columns()) {
    std::printf("| `%s` | %s | %s | %s | %s | %s |\n", std::string(column->name).c_str(),
                std::string(column->unit).c_str(), reference_cell(column->meaning).c_str(),
                reference_cell(column->formula).c_str(), reference_cell(column->level).c_str(),
                reference_cell(column->source).c_str());
  }
}

}  // namespace xsp::test
