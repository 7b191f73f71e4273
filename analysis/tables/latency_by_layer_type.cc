#include <algorithm>

#include "analysis/tables/analyses.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/step_study.h"
#include "analysis/tables/units.h"

namespace xsp::analysis {

Table latency_by_layer_type(const Study& study) {
  Table table;
  table.columns = {{"type", ""}, {"count", ""}, {"latency_ms", "ms"}, {"latency_pct", "%"}};
  const bool has_backward = has_backward_work(study);
  if (has_backward) table.columns.push_back({"backward_ms", "ms"});
  const bool has_waits = knows_waits(study);
  if (has_waits) table.columns.push_back({"wait_ms", "ms"});
  auto types = layer_types(study);
  std::stable_sort(types.begin(), types.end(),
                   [](const auto& a, const auto& b) { return a.latency_ns > b.latency_ns; });
  const double total = study.layer_latency_ns();
  for (const LayerType& type : types) {
    table.rows.push_back(
        {type.type, count_cell(type.count), cell(type.latency_ns / kNsPerMs), percent(type.latency_ns, total)});
    if (has_backward) table.rows.back().push_back(cell(type.backward_ns / kNsPerMs));
    if (has_waits) table.rows.back().push_back(cell(type.wait_ns / kNsPerMs));
  }
  finish_layer_table(study, false, &table);
  return table;
}

}  // namespace xsp::analysis
