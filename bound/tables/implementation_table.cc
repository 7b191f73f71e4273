#include "bound/tables/implementation_table.h"

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {
namespace {

using analysis::Cell;
using analysis::cell;
using analysis::count_cell;
using analysis::TableRow;

Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

/// Of the rows whose benchmark is known.
struct Sums {
  size_t calls = 0;
  size_t known = 0;
  double used_ms = 0;
  double heuristic_ms = 0;
  size_t with_heuristic = 0;
  double best_ms = 0;
  double loss_ms = 0;

  void add(const ImplementationChoice& choice) {
    ++calls;
    if (!choice.loss_ms) return;
    ++known;
    used_ms += choice.used_ms.value_or(0);
    best_ms += choice.best_ms.value_or(0);
    loss_ms += *choice.loss_ms;
    if (choice.heuristic_ms) ++with_heuristic;
    heuristic_ms += choice.heuristic_ms.value_or(0);
  }
};

Cell share_of(double ms, const JoinedTrace& trace) {
  return trace.measured_ms > 0 ? cell(100 * ms / trace.measured_ms) : Cell();
}

void add_choice(const ImplementationChoice& choice, const JoinedTrace& trace, TableRow row) {
  const TraceCall& call = trace.calls[choice.call];
  if (call.layer) {
    row.set(kB5.layer_index, count_cell(trace.layers[*call.layer].index));
    row.set(kB5.layer_name, text_cell(trace.layers[*call.layer].name));
  }
  row.set(kB5.call_index, count_cell(call.call_index));
  row.set(kB5.used, text_cell(choice.used));
  row.set(kB5.benchmark, text_cell(choice.benchmark));
  row.set(kB5.used_ms, cell(choice.used_ms));
  row.set(kB5.heuristic, text_cell(choice.heuristic));
  row.set(kB5.heuristic_ms, cell(choice.heuristic_ms));
  row.set(kB5.best, text_cell(choice.best));
  row.set(kB5.best_ms, cell(choice.best_ms));
  row.set(kB5.loss_ms, cell(choice.loss_ms));
  if (choice.loss_ms) row.set(kB5.loss_pct, share_of(*choice.loss_ms, trace));
  row.set(kB5.reason, text_cell(choice.reason));
}

void add_sums(const Sums& sums, const JoinedTrace& trace, TableRow row) {
  row.set(kB5.layer_name, "Σ");
  if (sums.known == 0) return;
  row.set(kB5.used_ms, cell(sums.used_ms));
  if (sums.with_heuristic == sums.known) row.set(kB5.heuristic_ms, cell(sums.heuristic_ms));
  row.set(kB5.best_ms, cell(sums.best_ms));
  row.set(kB5.loss_ms, cell(sums.loss_ms));
  row.set(kB5.loss_pct, share_of(sums.loss_ms, trace));
}

void add_notes(const Sums& sums, bool has_calls, const std::string& of, Table* table) {
  if (sums.calls == 0) {
    table->notes.push_back(of + (has_calls ? "no call of a product or convolution whose arguments are known"
                                           : "no library call was recorded"));
    return;
  }
  if (sums.known < sums.calls) {
    table->lacks_data = true;
    table->notes.push_back(fmt::format("{}{} of {} without a benchmark of what was used: they count in no sum", of,
                                       sums.calls - sums.known, plural(sums.calls, "call")));
  }
}

}  // namespace

Table implementation_table(const BoundSubject& subject) {
  Table table = make_table(kB5);
  for (size_t index = 0; index < subject.bounds.size(); ++index) {
    const Bounds& bounds = subject.bounds[index];
    const std::string of = subject.has_several() ? bounds.model->name + ": " : "";
    if (bounds.trace == nullptr || index >= subject.advice.size()) continue;
    const auto add_row = [&] {
      TableRow row = table.add_row();
      if (subject.has_several()) row.set(kB5.model, bounds.model->name);
      return row;
    };
    Sums sums;
    for (const ImplementationChoice& choice : subject.advice[index].choices) {
      add_choice(choice, *bounds.trace, add_row());
      sums.add(choice);
    }
    if (sums.calls != 0) add_sums(sums, *bounds.trace, add_row());
    add_notes(sums, bounds.trace->has_library_calls, of, &table);
  }
  table.notes.emplace_back(
      "what ran is compared by the benchmark of the implementation with its name, in the newest version of the library "
      "that was measured and has it");
  add_source_notes(subject, &table);
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
