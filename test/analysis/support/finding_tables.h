#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/tables/registry.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {

using analysis::Cell;
using analysis::Column;
using analysis::Finding;
using analysis::Table;

/// A call with one layer, so that the study has a subject whose latency is 10 ms.
inline std::string one_model() {
  TraceBuilder builder;
  builder.add_process(10);
  for (int64_t i = 0; i < 3; ++i) builder.add_evaluation(100 * i, {6, 4});
  return builder.bytes();
}

/// FindingTables as analyses give them, with numbers of the test's choice.
class FindingTables {
 public:
  explicit FindingTables(const std::string& bytes = one_model()) : analysed_({bytes}) {
    REQUIRE(analysed_.status.ok());
  }

  Table& add(const std::string& id, const std::vector<std::string>& columns, std::vector<std::vector<Cell>> rows) {
    Table& table = tables_.emplace_back();
    table.id = id;
    for (const std::string& column : columns) table.columns.push_back({column, ""});
    table.rows = std::move(rows);
    return table;
  }

  std::vector<Finding> found() const { return analysis::findings(*analysed_.study, tables_); }

  /// The finding with this id, or null. Checks its evidence: the table is in the report, and so is the row.
  const Finding* find(const std::string& id) {
    found_ = found();
    const auto at = std::find_if(found_.begin(), found_.end(), [&](const Finding& f) { return f.id == id; });
    if (at == found_.end()) return nullptr;
    const auto table = std::find_if(tables_.begin(), tables_.end(), [&](const Table& t) { return t.id == at->table; });
    REQUIRE(table != tables_.end());
    if (!at->column.empty()) {
      const auto column = std::find_if(table->columns.begin(), table->columns.end(),
                                       [&](const Column& c) { return c.name == at->column; });
      REQUIRE(column != table->columns.end());
      const auto index = static_cast<size_t>(column - table->columns.begin());
      CHECK(std::any_of(table->rows.begin(), table->rows.end(), [&](const auto& row) {
        const auto* text = std::get_if<std::string>(&row[index]);
        const auto* integer = std::get_if<int64_t>(&row[index]);
        return text != nullptr ? *text == at->key : integer != nullptr && std::to_string(*integer) == at->key;
      }));
    }
    return &*at;
  }

 private:
  Analysed analysed_;
  std::vector<Table> tables_;
  std::vector<Finding> found_;
};

inline Cell word(const std::string& value) { return value; }
inline Cell count(int64_t value) { return value; }

/// Cells of A15 by name; cells not named are 0.
inline void add_step(const std::map<std::string, double>& cells, FindingTables* out) {
  static const std::vector<std::string> kColumns = {
      "model",         "step_ms",        "kernel_latency_ms", "kernel_count",
      "gpu_busy_ms",   "gpu_busy_pct",   "communication_ms",  "exposed_communication_ms",
      "idle_input_ms", "idle_sync_ms",   "idle_sync_copy_ms", "idle_copy_ms",
      "idle_host_ms",  "long_gap_ms",    "input_wait_ms",     "sync_wait_ms",
      "step_kernels",  "step_kernel_ms", "launch_gap_ms"};
  std::vector<Cell> row = {word("Net")};
  for (size_t i = 1; i < kColumns.size(); ++i) {
    const auto cell = cells.find(kColumns[i]);
    row.emplace_back(cell == cells.end() ? 0.0 : cell->second);
  }
  out->add("A15", kColumns, {row});
}

inline const std::vector<std::string> kQuality = {"quantity", "level", "value", "note"};

/// A row of Q1.
inline std::vector<Cell> quality(const std::string& quantity, int64_t value, const std::string& level = "all") {
  return {word(quantity), word(level), count(value), Cell()};
}

}  // namespace xsp::test
