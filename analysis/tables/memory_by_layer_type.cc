#include <algorithm>

#include "analysis/tables/analyses.h"
#include "analysis/tables/layer_tables.h"
#include "base/units.h"

namespace xsp::analysis {

Table memory_by_layer_type(const Study& study) {
  Table table;
  table.columns = {{"type", ""}, {"count", ""}, {"alloc_mb", "MB"}, {"alloc_pct", "%"}};
  auto types = layer_types(study);
  std::stable_sort(types.begin(), types.end(),
                   [](const auto& a, const auto& b) { return a.bytes.value_or(-1) > b.bytes.value_or(-1); });
  const auto total = allocated_bytes(study);
  for (const LayerType& type : types) {
    table.rows.push_back({type.type, count_cell(type.count), type.bytes ? cell(*type.bytes / kBytesPerMb) : Cell(),
                          percent(type.bytes, total)});
  }
  finish_layer_table(study, true, &table);
  return table;
}

}  // namespace xsp::analysis
