#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_tables.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {

using analysis::Cell;
using analysis::cell;
using analysis::count_cell;
using analysis::TableRow;

Table parallel_table(const BoundSubject& subject) {
  Table table = make_table(kB4);
  for (const Bounds& bounds : subject.bounds) {
    const SequentialBound& sequential = bounds.sequential;
    const double gain = sequential.bound_ms - bounds.parallel.bound_ms;
    const bool has_times = sequential.missing < sequential.layers || sequential.layers == 0;
    TableRow row = table.add_row();
    row.set(kB4.mode, "layers");
    if (has_times) {
      row.set(kB4.bound_ms, cell(bounds.parallel.bound_ms));
      row.set(kB4.sequential_ms, cell(sequential.bound_ms));
      row.set(kB4.gain_ms, cell(gain));
      row.set(kB4.gain_pct, sequential.bound_ms > 0 ? cell(100 * gain / sequential.bound_ms) : Cell());
      row.set(kB4.path_layers, count_cell(bounds.parallel.path.size()));
    }
    if (subject.has_several()) row.set(kB4.model, bounds.model->name);
    table.lacks_data |= sequential.missing != 0;
    if (table.contradiction.empty()) table.contradiction = bounds.contradiction;
    analysis::Extra& path = table.extras.emplace_back();
    path.name = subject.has_several() ? "path of " + bounds.model->name : "path";
    path.numbers.emplace(bounds.parallel.path.begin(), bounds.parallel.path.end());
  }
  table.notes.emplace_back(
      "this supposes that independent branches do not slow one another, as they do where they share cores and memory");
  table.notes.emplace_back("measured_ms and normalized_pct need a measured run");
  add_source_notes(subject, &table);
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
