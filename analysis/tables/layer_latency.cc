#include "analysis/tables/analyses.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/study_notes.h"
#include "base/units.h"

namespace xsp::analysis {

Table layer_latency(const Study& study) {
  Table table;
  table.columns = {{"index", ""}, {"name", ""}, {"latency_ms", "ms"}, {"stage", ""}};
  const auto& layers = study.joined.layers;
  for (size_t i = 0; i < layers.size(); ++i) {
    table.rows.push_back({count_cell(i), std::string(study.trace.text(layers[i].name)),
                          cell(layers[i].latency_ns / kNsPerMs), stage_of(i, layers.size())});
  }
  table.rank_by = 2;
  finish_layer_table(study, false, &table);
  if (const std::string note = device_latency_note(study); !study.latencies.layers.empty()) table.notes.push_back(note);
  if (const std::string note = coverage_note(study); !note.empty()) table.notes.push_back(note);
  return table;
}

}  // namespace xsp::analysis
