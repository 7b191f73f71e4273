// column_reference_lines: writes the list of doc/tables.md, a section each table with a row each column.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "analysis/tables/column_reference.h"
#include "analysis/tables/registry.h"
#include "test/analysis/support/leveled_runs.h"
#include "test/analysis/support/live_trace.h"
#include "test/analysis/support/trace_builder.h"

namespace xsp::test {
namespace {

std::string cell_of(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void print_columns(const std::string& id, const std::vector<analysis::Column>& columns) {
  std::printf("| column | unit | what it says | formula | level | source |\n|---|---|---|---|---|---|\n");
  for (const analysis::Column& column : columns) {
    const analysis::ColumnReference* reference = analysis::column_reference(id, column.name);
    if (reference == nullptr) {
      std::printf("| `%s` | | **not described** | | | |\n", column.name.c_str());
      continue;
    }
    std::printf("| `%s` | %s | %s | %s | %s | %s |\n", column.name.c_str(), column.unit.c_str(),
                cell_of(reference->meaning).c_str(), cell_of(reference->formula).c_str(),
                cell_of(reference->level).c_str(), cell_of(reference->source).c_str());
  }
}

void print_table(const analysis::Table& table, const std::string& id) {
  const analysis::TableReference* reference = analysis::table_reference(id);
  std::printf("\n## %s %s\n", id.c_str(), table.title.c_str());
  if (reference != nullptr) {
    std::printf("%s. Needs: %s. Source: %s.\n\n", cell_of(reference->meaning).c_str(),
                std::string(reference->level).c_str(), std::string(reference->source).c_str());
  }
  print_columns(id, table.columns);
}

/// Runs that stop at models leave the phases of training out, which a recording by itself has.
void add_columns_of_training(const analysis::Table& training, analysis::Table* table) {
  for (const analysis::Column& column : training.columns) {
    const auto same = [&](const analysis::Column& other) { return other.name == column.name; };
    if (std::none_of(table->columns.begin(), table->columns.end(), same)) table->columns.push_back(column);
  }
}

std::string training() {
  LiveTrace trace;
  trace.begin_model("Net");
  const uint32_t forward = trace.module("fc", "Linear");
  trace.end();
  trace.backward("AddmmBackward0", forward);
  trace.step();
  return trace.bytes();
}

}  // namespace
}  // namespace xsp::test

int main() {
  using namespace xsp;
  test::RunSet set = test::four_levels();
  const test::Analysed leveled(set.traces);
  const test::Analysed training({test::training()});
  for (const analysis::Analysis& analysis : analysis::analyses()) {
    if (analysis.compute == nullptr) continue;
    analysis::Table table = leveled.table(std::string(analysis.id));
    test::add_columns_of_training(training.table(std::string(analysis.id)), &table);
    test::print_table(table, table.id);
    for (const analysis::Table& part : table.parts) test::print_table(part, table.id + "." + part.id);
  }
}
