#include "analysis/tables/analyses.h"
#include "analysis/tables/layer_tables.h"
#include "base/units.h"

namespace xsp::analysis {

Table layer_memory(const Study& study) {
  Table table;
  table.columns = {{"index", ""}, {"name", ""}, {"alloc_mb", "MB"}, {"stage", ""}};
  const auto& layers = study.joined.layers;
  for (size_t i = 0; i < layers.size(); ++i) {
    table.rows.push_back({count_cell(i), std::string(study.trace.text(layers[i].name)),
                          layers[i].bytes ? cell(*layers[i].bytes / kBytesPerMb) : Cell(), stage_of(i, layers.size())});
  }
  table.rank_by = 2;
  finish_layer_table(study, true, &table);
  return table;
}

}  // namespace xsp::analysis
