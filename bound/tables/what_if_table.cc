#include "bound/tables/what_if_table.h"

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {
namespace {

using analysis::Cell;
using analysis::cell;
using analysis::count_cell;
using analysis::TableRow;

Cell words_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

/// Layers without a time as "fused" has them; nothing where too few have one for most rows.
void note_missing_times(const Bounds& bounds, const std::string& of, analysis::Table* table) {
  const SequentialBound& bound = bounds.fused().sequential;
  if (2 * bound.missing <= bound.layers) return;
  table->lacks_data = true;
  table->notes.push_back(
      fmt::format("{}{} of {} {} no time: what fusing, parallel branches and all together would save "
                  "is not known",
                  of, bound.missing, plural(bound.layers, "layer"), bound.missing == 1 ? "has" : "have"));
}

void add_what_ifs(const std::vector<WhatIf>& what_ifs, const std::string& model, analysis::Table* table) {
  for (const WhatIf& one : what_ifs) {
    TableRow row = table->add_row();
    row.set(kB7.what, one.what);
    row.set(kB7.rule, words_cell(one.rule));
    row.set(kB7.count, one.what == "all" ? Cell() : count_cell(one.count));
    if (one.before_ms > 0) row.set(kB7.before_ms, cell(one.before_ms));
    if (one.is_measured) {
      row.set(kB7.after_ms, cell(one.after_ms));
      row.set(kB7.profit_ms, cell(one.profit_ms()));
      if (one.before_ms > 0) row.set(kB7.profit_pct, cell(100 * one.profit_ms() / one.before_ms));
      row.set(kB7.coverage_pct, cell(one.coverage_pct));
    }
    row.set(kB7.caveat, words_cell(one.caveat));
    row.set(kB7.model, words_cell(model));
    table->lacks_data |= one.coverage_pct && *one.coverage_pct < 100;
  }
}

}  // namespace

analysis::Table what_if_table(const BoundSubject& subject) {
  analysis::Table table = make_table(kB7);
  for (size_t index = 0; index < subject.bounds.size() && index < subject.advice.size(); ++index) {
    const Bounds& bounds = subject.bounds[index];
    const std::string model = subject.has_several() ? bounds.model->name : "";
    add_what_ifs(subject.advice[index].what_ifs, model, &table);
    note_missing_times(bounds, model.empty() ? "" : model + ": ", &table);
  }
  table.notes.emplace_back(
      "both times are bounds, sums of the fastest benchmarks, and not measurements of the model; a negative profit is "
      "a loss");
  table.notes.emplace_back(
      "profits do not add up: the row all has what the changes that gain save together, without implementations");
  add_source_notes(subject, &table);
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
