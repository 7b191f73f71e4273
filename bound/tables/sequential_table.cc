#include <fmt/format.h>

#include "base/quantity_text.h"
#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_tables.h"
#include "bound/tables/doubt_findings.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {

using analysis::Cell;
using analysis::cell;
using analysis::count_cell;
using analysis::TableRow;

Table sequential_table(const BoundSubject& subject) {
  Table table = make_table(kB3);
  for (const Bounds& bounds : subject.bounds) {
    const SequentialBound& bound = bounds.sequential;
    TableRow row = table.add_row();
    row.set(kB3.mode, "layers");
    row.set(kB3.bound_ms, bound.missing == bound.layers && bound.layers != 0 ? Cell() : cell(bound.bound_ms));
    row.set(kB3.expected_ms, cell(bound.expected_ms));
    row.set(kB3.layers, count_cell(bound.layers));
    row.set(kB3.missing, count_cell(bound.missing));
    row.set(kB3.coverage_layers_pct, cell(bound.coverage_layers_pct));
    row.set(kB3.coverage_flops_pct, cell(bound.coverage_flops_pct));
    row.set(kB3.noisy, subject.source.is_given ? Cell() : count_cell(bound.noisy));
    if (subject.has_several()) row.set(kB3.model, bounds.model->name);
    table.lacks_data |= bound.missing != 0;
    if (trust_in(subject.source, bounds) == Trust::kUnusable) {
      table.lacks_data = true;
      table.notes.push_back((subject.has_several() ? bounds.model->name + ": " : "") +
                            "no usable bound: most of it was measured while something disturbed it (--refresh)");
    }
    if (bound.missing != 0) {
      table.notes.push_back(
          fmt::format("{}{} without a time {} nothing to the bound, which is lower for it (B2 tells why)",
                      subject.has_several() ? bounds.model->name + ": " : "", plural(bound.missing, "layer"),
                      bound.missing == 1 ? "adds" : "add"));
    }
  }
  table.notes.emplace_back(
      "bound_ms is the sum over layers of the fastest implementation, each by itself. Runtimes that fuse layers can be "
      "faster");
  if (!subject.source.is_given) {
    table.notes.emplace_back(
        "expected_ms is the same sum with all operands, weights and activations, from memory: an estimate for models "
        "that are larger than the cache, not a bound");
  }
  for (const Bounds& bounds : subject.bounds) {
    const SequentialBound& bound = bounds.sequential;
    const std::string of = subject.has_several() ? bounds.model->name + ": " : "";
    const bool has_any = bound.without_cold < bound.layers - bound.missing;
    if (!bound.expected_ms && has_any && bound.without_cold != 0) {
      table.notes.push_back(fmt::format("{}no expected_ms: of {} ({:.3g} ms) no time from memory is known", of,
                                        plural(bound.without_cold, "layer"), bound.without_cold_ms));
    }
    if (bound.expected_ms && bound.without_cold != 0) {
      table.notes.push_back(fmt::format("{}{} {} in expected_ms with the time of bound_ms: none from memory is known",
                                        of, plural(bound.without_cold, "layer"),
                                        bound.without_cold == 1 ? "counts" : "count"));
    }
  }
  table.notes.emplace_back("measured_ms, measured_min_ms, normalized_pct and speedup need a measured run");
  add_source_notes(subject, &table);
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
