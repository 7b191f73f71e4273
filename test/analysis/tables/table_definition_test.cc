#include "analysis/tables/table_definition.h"

#include <algorithm>

#include "analysis/tables/kernel_information.h"
#include "analysis/tables/latency_by_layer_type.h"
#include "analysis/tables/layer_information.h"
#include "analysis/tables/layer_roofline.h"
#include "analysis/tables/metrics_by_layer.h"
#include "analysis/tables/model_information.h"
#include "analysis/tables/registry.h"
#include "test/analysis/support/leveled_runs.h"
#include "test/analysis/support/live_trace.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::Cell;
using analysis::Column;
using analysis::ColumnDefinition;
using analysis::ColumnFacts;
using analysis::Study;
using analysis::Table;
using analysis::TableDefinition;
using analysis::TableRow;

/// Whether a table has the columns of a definition in its order, each that is always there among them. Behind them may
/// be those that the trace names.
void check_columns(const std::string& id, const Table& table) {
  INFO(id);
  const TableDefinition* definition = analysis::table_definition(id);
  REQUIRE(definition != nullptr);
  CHECK(table.definition == definition);
  CHECK(table.title == definition->title);
  size_t at = 0;
  for (const ColumnDefinition* column : definition->columns()) {
    INFO(column->name);
    if (at < table.columns.size() && table.columns[at].name == column->name) {
      CHECK(table.place_of(*column) == at);
      ++at;
    } else {
      CHECK((column->condition != nullptr || column->left_out_when_empty));
      CHECK_FALSE(table.has(*column));
    }
  }
  for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
}

void check_all_tables(const Analysed& analysed) {
  for (const TableDefinition* analysis : analysis::analyses()) {
    const Table table = analysed.table(std::string(analysis->id));
    check_columns(table.id, table);
    for (const Table& part : table.parts) check_columns(table.id + "." + part.id, part);
  }
}

TEST_CASE("tables have the columns of their definitions") {
  const RunSet set = four_levels();
  check_all_tables(Analysed(set.traces));
  LiveTrace training;
  training.begin_model("Net");
  const uint32_t forward = training.module("fc", "Linear");
  training.end();
  training.backward("AddmmBackward0", forward);
  training.step();
  check_all_tables(Analysed({training.bytes()}));
  check_all_tables(Analysed({TraceBuilder().bytes()}));
}

TEST_CASE("parts of tables stand behind the tables that are computed by themselves") {
  const auto all = analysis::table_definitions();
  const auto count = analysis::analyses().size();
  REQUIRE(count < all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    INFO(all[i]->id);
    CHECK((all[i]->compute != nullptr) == (i < count));
  }
}

TEST_CASE("a column that means something else in one table is described for that table") {
  CHECK(analysis::kA1.latency_ms.meaning != analysis::kA6.latency_ms.meaning);
  CHECK(analysis::kA14.latency_ms.meaning != analysis::kA8.latency_ms.meaning);
  CHECK(analysis::column_definition("A1", "latency_ms") == &analysis::kA1.latency_ms);
  CHECK(analysis::column_definition("A1", "no_such_column") == nullptr);
  CHECK(analysis::column_definition("A12", "latency_ms") == nullptr);
  CHECK(analysis::column_definition("X1", "latency_ms") == nullptr);
}

bool never(const Study& /*study*/) { return false; }

struct Example : TableDefinition {
  ColumnDefinition name{this, {"name", "", "A name", "", "M", "here"}};
  ColumnDefinition never_there{this, ColumnFacts{"never", "", "Nothing", "", "M", "here"}.only_if(never)};
  ColumnDefinition sometimes{this, ColumnFacts{"sometimes", "ms", "A time", "", "M", "here"}.unless_empty()};
  ColumnDefinition latency_ms{this,
                              ColumnFacts{"latency_ms", "ms", "A time", "", "M", "here"}.cut_to(7).with_decimals(2)};

  constexpr Example() : TableDefinition({.id = "X1.example", .title = "example"}) { rank_by = &latency_ms; }
};
constexpr Example kExample;

Table example() {
  TraceBuilder builder;
  builder.add_process(7);
  builder.add_evaluation(1, {1});
  const Analysed analysed({builder.bytes()});
  return analysis::make_table(kExample, *analysed.study);
}

TEST_CASE("rows are filled by column, whatever order they are filled in") {
  Table table = example();
  CHECK(table.id == "example");
  CHECK(table.columns.size() == 3);
  CHECK(table.columns[2].text_width == 7);
  CHECK(table.columns[2].decimals == 2);
  CHECK(table.rank_by == 2);
  TableRow row = table.add_row();
  row.set(kExample.latency_ms, 2.5);
  row.set(kExample.never_there, "lost");
  row.set(kExample.name, "conv1");
  CHECK(table.rows == std::vector<std::vector<Cell>>{{"conv1", Cell(), 2.5}});
  CHECK(table.at(0, kExample.latency_ms) == Cell(2.5));
  CHECK_FALSE(table.has(kExample.never_there));
}

TEST_CASE("a column without a value is left out where its definition says so, and the others move up") {
  Table table = example();
  table.add_row().set(kExample.latency_ms, 2.5);
  Table with_value = table;
  with_value.row(0).set(kExample.sometimes, 1.0);
  leave_out_empty_columns(&with_value);
  CHECK(with_value.columns.size() == 3);
  leave_out_empty_columns(&table);
  CHECK(table.columns.size() == 2);
  CHECK_FALSE(table.has(kExample.sometimes));
  CHECK(table.at(0, kExample.latency_ms) == Cell(2.5));
  CHECK(table.rank_by == 1);
}

TEST_CASE("columns that the trace names stand behind those of the definition") {
  Table table = example();
  table.add_row().set(kExample.name, "conv1");
  CHECK(append_column({"threads", ""}, &table) == 3);
  CHECK(table.rows[0].size() == 4);
  CHECK(analysis::is_null(table.rows[0][3]));
  CHECK(table.at(0, kExample.name) == Cell("conv1"));
}

}  // namespace
}  // namespace xsp::test
