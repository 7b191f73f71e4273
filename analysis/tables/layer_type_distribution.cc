#include <algorithm>

#include "analysis/tables/analyses.h"
#include "analysis/tables/layer_tables.h"

namespace xsp::analysis {

Table layer_type_distribution(const Study& study) {
  Table table;
  table.columns = {{"type", ""}, {"count", ""}, {"count_pct", "%"}};
  auto types = layer_types(study);
  std::stable_sort(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  uint64_t total = 0;
  for (const LayerType& type : types) total += type.count;
  for (const LayerType& type : types) {
    table.rows.push_back(
        {type.type, count_cell(type.count), percent(static_cast<double>(type.count), static_cast<double>(total))});
  }
  finish_layer_table(study, false, &table);
  return table;
}

}  // namespace xsp::analysis
