#include "analysis/tables/memory_by_layer_type.h"

#include <algorithm>

#include "analysis/study/study.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {

Table memory_by_layer_type(const Study& study) {
  Table table = make_table(kA7, study);
  auto types = layer_types(study);
  std::stable_sort(types.begin(), types.end(),
                   [](const auto& a, const auto& b) { return a.bytes.value_or(-1) > b.bytes.value_or(-1); });
  const auto total = allocated_bytes(study);
  for (const LayerType& type : types) {
    TableRow row = table.add_row();
    row.set(kA7.type, type.type);
    row.set(kA7.count, count_cell(type.count));
    if (type.bytes) row.set(kA7.alloc_mb, cell(*type.bytes / kBytesPerMb));
    row.set(kA7.alloc_pct, percent(type.bytes, total));
  }
  finish_layer_table(study, true, &table);
  return table;
}

}  // namespace xsp::analysis
