#include "analysis/tables/layer_type_distribution.h"

#include <algorithm>

#include "analysis/study/study.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

Table layer_type_distribution(const Study& study) {
  Table table = make_table(kA5, study);
  auto types = layer_types(study);
  std::stable_sort(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  uint64_t total = 0;
  for (const LayerType& type : types) total += type.count;
  for (const LayerType& type : types) {
    TableRow row = table.add_row();
    row.set(kA5.type, type.type);
    row.set(kA5.count, count_cell(type.count));
    row.set(kA5.count_pct, percent(static_cast<double>(type.count), static_cast<double>(total)));
  }
  finish_layer_table(study, false, &table);
  return table;
}

}  // namespace xsp::analysis
