// column_reference_lines: writes the list of doc/tables.md, a section each table with a row each column.
#include <cstdio>
#include <string>

#include "analysis/tables/registry.h"

namespace xsp::test {
namespace {

std::string cell_of(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void print_table(const analysis::TableDefinition& table) {
  std::printf("\n## %s %s\n", std::string(table.id).c_str(), std::string(table.title).c_str());
  std::printf("%s. Needs: %s. Source: %s.\n\n", cell_of(table.meaning).c_str(), std::string(table.level).c_str(),
              std::string(table.source).c_str());
  std::printf("| column | unit | what it says | formula | level | source |\n|---|---|---|---|---|---|\n");
  for (const analysis::ColumnDefinition* column : table.columns()) {
    std::printf("| `%s` | %s | %s | %s | %s | %s |\n", std::string(column->name).c_str(),
                std::string(column->unit).c_str(), cell_of(column->meaning).c_str(), cell_of(column->formula).c_str(),
                cell_of(column->level).c_str(), cell_of(column->source).c_str());
  }
}

}  // namespace
}  // namespace xsp::test

int main() {
  using namespace xsp;
  for (const analysis::TableDefinition* analysis : analysis::analyses()) {
    test::print_table(*analysis);
    const std::string of_parts = std::string(analysis->id) + ".";
    for (const analysis::TableDefinition* part : analysis::table_definitions()) {
      if (part->id.starts_with(of_parts)) test::print_table(*part);
    }
  }
}
