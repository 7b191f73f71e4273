#include <algorithm>
#include <string>
#include <vector>

#include "proto/report_columns.h"
#include "test/analysis/support/leveled_runs.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

TEST_CASE("the columns that xsp-run and xsp-bench read back are in their tables") {
  const RunSet set = four_levels();
  const Analysed leveled(set.traces);
  const auto check = [&](const char* id, const std::vector<const char*>& columns) {
    const analysis::Table table = leveled.table(id);
    for (const char* name : columns) {
      INFO(id << "." << name);
      CHECK(std::any_of(table.columns.begin(), table.columns.end(),
                        [&](const analysis::Column& column) { return column.name == std::string(name); }));
    }
  };
  namespace levels = report_columns::levels;
  namespace models = report_columns::models;
  namespace gpu_latency = report_columns::gpu_latency;
  check(levels::kTable, {levels::kLevelSet, levels::kEventLevel, levels::kLatencyMs, levels::kOverheadMs,
                         levels::kOverheadPct, levels::kSignificant});
  check(models::kTable, {models::kModel, models::kLatencyMs, models::kThroughput, models::kEvaluations});
  check(gpu_latency::kTable, {gpu_latency::kKernelCount});
}

}  // namespace
}  // namespace xsp::test
