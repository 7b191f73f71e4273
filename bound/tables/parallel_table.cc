#include <fmt/format.h>

#include "base/quantity_text.h"
#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_tables.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {

using analysis::Cell;
using analysis::cell;
using analysis::count_cell;
using analysis::TableRow;

namespace {

void add_mode_row(const BoundSubject& subject, const Bounds& bounds, const BoundMode& mode, Table* table) {
  const SequentialBound& sequential = mode.sequential;
  TableRow row = table->add_row();
  row.set(kB4.mode, std::string(mode.name));
  if (subject.has_several()) row.set(kB4.model, bounds.model->name);
  const bool has_trace = bounds.trace != nullptr && bounds.trace->measured_ms > 0;
  if (has_trace) row.set(kB4.measured_ms, cell(bounds.trace->measured_ms));
  if (sequential.missing == sequential.layers && (sequential.layers != 0 || bounds.model->layers.empty())) return;
  const double gain = sequential.bound_ms - mode.parallel.bound_ms;
  row.set(kB4.bound_ms, cell(mode.parallel.bound_ms));
  row.set(kB4.sequential_ms, cell(sequential.bound_ms));
  row.set(kB4.gain_ms, cell(gain));
  row.set(kB4.gain_pct, sequential.bound_ms > 0 ? cell(100 * gain / sequential.bound_ms) : Cell());
  row.set(kB4.path_layers, count_cell(mode.parallel.path.size()));
  if (has_trace && mode.parallel.bound_ms > 0) {
    row.set(kB4.normalized_pct, cell(100 * mode.parallel.bound_ms / bounds.trace->measured_ms));
  }
}

/// "path" is that of the layers by themselves; those of the other modes have their names behind it.
void add_path(const BoundSubject& subject, const Bounds& bounds, const BoundMode& mode, Table* table) {
  analysis::Extra& path = table->extras.emplace_back();
  path.name = mode.name == "layers" ? "path" : fmt::format("path_{}", mode.name);
  if (subject.has_several()) path.name += " of " + bounds.model->name;
  path.numbers.emplace(mode.parallel.path.begin(), mode.parallel.path.end());
}

}  // namespace

Table parallel_table(const BoundSubject& subject) {
  Table table = make_table(kB4);
  bool has_trace = false;
  for (const Bounds& bounds : subject.bounds) {
    const std::string of = subject.has_several() ? bounds.model->name + ": " : "";
    for (const BoundMode& mode : bounds.modes) {
      add_mode_row(subject, bounds, mode, &table);
      add_path(subject, bounds, mode, &table);
      table.lacks_data |= mode.sequential.missing != 0;
    }
    if (table.contradiction.empty()) table.contradiction = bounds.contradiction;
    has_trace = has_trace || bounds.trace != nullptr;
    if (const size_t apart = bounds.fused().parallel.apart.size(); apart != 0) {
      table.notes.push_back(fmt::format(
          "{}fused: {} {} layer by layer here: in one call it would wait for a branch beside it, and end later", of,
          plural(apart, "group"), apart == 1 ? "counts" : "count"));
    }
  }
  table.notes.emplace_back(
      "this supposes that independent branches do not slow one another, as they do where they share cores and memory");
  if (!has_trace) table.notes.emplace_back("measured_ms and normalized_pct need a measured run");
  add_source_notes(subject, &table);
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
