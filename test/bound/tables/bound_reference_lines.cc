// bound_reference_lines: writes the list of tables of doc/xsp-bound.md.
#include "bound/tables/bound_analyses.h"
#include "test/analysis/tables/column_reference.h"

int main() {
  for (const xsp::bound::BoundAnalysis& analysis : xsp::bound::bound_analyses()) {
    xsp::test::print_table(*analysis.definition);
  }
}
