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

void add_what_ifs(const Bounds& bounds, const std::vector<WhatIf>& what_ifs, const std::string& model,
                  analysis::Table* table) {
  const double whole_ms = bounds.layers().sequential.bound_ms;
  for (const WhatIf& one : what_ifs) {
    TableRow row = table->add_row();
    row.set(kB7.what, one.what);
    row.set(kB7.rule, words_cell(one.rule));
    row.set(kB7.count, one.what == "all" ? Cell() : count_cell(one.count));
    // A rule of which no group is taken changes nothing.
    const bool is_idle_rule = one.what == "fuse" && one.count == 0;
    row.set(kB7.before_ms, is_idle_rule ? Cell() : cell(one.before_ms));
    row.set(kB7.after_ms, is_idle_rule ? Cell() : cell(one.after_ms));
    row.set(kB7.profit_ms, cell(one.profit_ms()));
    if (whole_ms > 0) row.set(kB7.profit_pct, cell(100 * one.profit_ms() / whole_ms));
    row.set(kB7.coverage_pct, cell(one.coverage_pct));
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
    add_what_ifs(bounds, subject.advice[index].what_ifs, subject.has_several() ? bounds.model->name : "", &table);
  }
  table.notes.emplace_back(
      "both times are bounds, sums of the fastest benchmarks, and not measurements of the model; a negative profit is "
      "a "
      "loss");
  table.notes.emplace_back("profits do not add up: all is what is left if everything that gains is done together");
  add_source_notes(subject, &table);
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
