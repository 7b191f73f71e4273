#include <fmt/format.h>

#include "base/quantity_text.h"
#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_tables.h"
#include "bound/tables/shown_mode.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {
namespace {

using analysis::Cell;
using analysis::cell;
using analysis::count_cell;
using analysis::TableRow;

Cell text_or_null(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

/// `is_measured`: times are from benchmarks.
void add_layers(const Bounds& bounds, const std::string& model, bool is_measured, Table* table) {
  std::vector<bool> on_path(bounds.model->layers.size(), false);
  const BoundMode& mode = shown_mode(bounds);
  for (const size_t index : mode.parallel.path) on_path[index] = true;
  for (size_t index = 0; index < bounds.model->layers.size(); ++index) {
    const Layer& layer = bounds.model->layers[index];
    const LayerTime& time = bounds.times[index];
    TableRow row = table->add_row();
    row.set(kB1.index, count_cell(index));
    row.set(kB1.name, layer.name);
    row.set(kB1.type, layer.type);
    row.set(kB1.layer_class, std::string(name_of(layer.layer_class)));
    row.set(kB1.inputs, text_or_null(layer.inputs));
    row.set(kB1.outputs, text_or_null(layer.outputs));
    row.set(kB1.dtype, text_or_null(layer.dtype));
    row.set(kB1.problem, text_or_null(layer.problem));
    row.set(kB1.unique, layer.unique == kNoProblem ? Cell() : count_cell(layer.unique));
    row.set(kB1.flops, cell(layer.flops));
    row.set(kB1.bytes, cell(layer.bytes));
    row.set(kB1.bound_ms, cell(time.bound_ms));
    row.set(kB1.expected_ms, cell(time.expected_ms));
    row.set(kB1.backend, text_or_null(time.library));
    row.set(kB1.implementation, text_or_null(time.implementation));
    row.set(kB1.on_path, static_cast<bool>(on_path[index]));
    row.set(kB1.reason, text_or_null(time.reason));
    if (layer.flops.value_or(0) > 0 && time.bound_ms.value_or(0) > 0) {
      row.set(kB1.gflop_per_s, cell(*layer.flops / *time.bound_ms / 1e6));
    }
    if (is_measured && time.bound_ms && !time.library.empty()) row.set(kB1.noisy, time.is_noisy);
    if (mode.group_of[index] != kNoGroup) {
      row.set(kB1.fused_into, bounds.model->layers[bounds.groups[mode.group_of[index]].layers.back()].name);
    }
    if (bounds.trace != nullptr && index < bounds.trace->trace_layer_of.size() &&
        bounds.trace->trace_layer_of[index] < bounds.trace->layers.size()) {
      const TraceLayer& ran = bounds.trace->layers[bounds.trace->trace_layer_of[index]];
      row.set(kB1.trace_index, count_cell(ran.index));
      row.set(kB1.measured_ms, cell(ran.measured_ms));
      row.set(kB1.least_ms, cell(ran.least_ms));
    }
    row.set(kB1.model, text_or_null(model));
  }
}

}  // namespace

Table layers_table(const BoundSubject& subject) {
  Table table = make_table(kB1);
  for (const Bounds& bounds : subject.bounds) {
    add_layers(bounds, subject.has_several() ? bounds.model->name : "", !subject.source.is_given, &table);
    table.lacks_data |= shown_mode(bounds).sequential.missing != 0;
  }
  for (const Bounds& bounds : subject.bounds) {
    const LayeredModel& model = *bounds.model;
    const std::string of = subject.has_several() ? model.name + ": " : "";
    table.notes.push_back(fmt::format("{}{}, {} unique; {:.2f} M multiply-adds in convolutions and products", of,
                                      plural(model.layers.size(), "layer"), model.unique.size(),
                                      model.multiply_adds / 1e6));
    for (const std::string& note : model.notes) table.notes.push_back(of + note);
  }
  add_source_notes(subject, &table);
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
