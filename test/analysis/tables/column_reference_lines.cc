// column_reference_lines: writes the list of doc/tables.md, a section each table with a row each column.
#include <string>

#include "analysis/tables/registry.h"
#include "test/analysis/tables/column_reference.h"

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
