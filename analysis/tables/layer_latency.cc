#include "analysis/tables/layer_latency.h"

#include "analysis/study/study.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/study_notes.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {

Table layer_latency(const Study& study) {
  Table table = make_table(kA3, study);
  const auto& layers = study.joined.layers;
  for (size_t i = 0; i < layers.size(); ++i) {
    TableRow row = table.add_row();
    row.set(kA3.index, count_cell(i));
    row.set(kA3.name, std::string(study.trace.text(layers[i].name)));
    row.set(kA3.latency_ms, cell(layers[i].latency_ns / kNsPerMs));
    row.set(kA3.stage, stage_of(i, layers.size()));
  }
  finish_layer_table(study, false, &table);
  if (const std::string note = device_latency_note(study); !study.latencies.layers.empty()) table.notes.push_back(note);
  if (const std::string note = coverage_note(study); !note.empty()) table.notes.push_back(note);
  return table;
}

}  // namespace xsp::analysis
