#include "analysis/tables/column_reference.h"

#include <set>

#include "analysis/tables/registry.h"
#include "test/analysis/support/leveled_runs.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

void check_described(const std::string& id, const analysis::Table& table) {
  CHECK(analysis::table_reference(id) != nullptr);
  for (const analysis::Column& column : table.columns) {
    INFO(id << "." << column.name);
    const analysis::ColumnReference* reference = analysis::column_reference(id, column.name);
    REQUIRE(reference != nullptr);
    CHECK_FALSE(reference->meaning.empty());
    CHECK_FALSE(reference->level.empty());
    CHECK_FALSE(reference->source.empty());
  }
}

TEST_CASE("every column of every table is described") {
  const RunSet set = four_levels();
  const Analysed leveled(set.traces);
  for (const analysis::Analysis& analysis : analysis::analyses()) {
    if (analysis.compute == nullptr) continue;
    const analysis::Table table = leveled.table(std::string(analysis.id));
    check_described(table.id, table);
    for (const analysis::Table& part : table.parts) check_described(table.id + "." + part.id, part);
  }
}

TEST_CASE("a column that means something else in one table is described for that table") {
  const auto meaning = [](const char* table) { return analysis::column_reference(table, "latency_ms")->meaning; };
  CHECK(meaning("A1") != meaning("A6"));
  CHECK(meaning("A14") != meaning("A8"));
  CHECK(analysis::column_reference("A1", "no_such_column") == nullptr);
  CHECK(analysis::column_reference("A12", "latency_ms") == nullptr);
}

TEST_CASE("no column is described twice for one table") {
  std::set<std::string> seen;
  for (const analysis::ColumnReference& reference : analysis::column_references()) {
    INFO(reference.tables << "." << reference.column);
    CHECK(seen.insert(std::string(reference.tables) + "." + std::string(reference.column)).second);
  }
}

}  // namespace
}  // namespace xsp::test
