#include "analysis/tables/layer_memory.h"

#include "analysis/study/study.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {

Table layer_memory(const Study& study) {
  Table table = make_table(kA4, study);
  const auto& layers = study.joined.layers;
  for (size_t i = 0; i < layers.size(); ++i) {
    TableRow row = table.add_row();
    row.set(kA4.index, count_cell(i));
    row.set(kA4.name, std::string(study.trace.text(layers[i].name)));
    if (layers[i].bytes) row.set(kA4.alloc_mb, cell(*layers[i].bytes / kBytesPerMb));
    row.set(kA4.stage, stage_of(i, layers.size()));
  }
  finish_layer_table(study, true, &table);
  return table;
}

}  // namespace xsp::analysis
