#pragma once

#include <cstddef>
#include <string>

#include "analysis/tables/table.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {

/// The number in a row of a table.
inline double number_in(const analysis::Table& table, size_t row, const std::string& column) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == column) return number(table.rows.at(row)[i]);
  }
  FAIL("no column " + column);
  return 0;
}

}  // namespace xsp::test
