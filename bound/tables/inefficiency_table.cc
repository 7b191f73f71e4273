#include "bound/tables/inefficiency_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/study/analysed_trace.h"
#include "base/quantity_text.h"

namespace xsp::bound {
namespace {

using analysis::Cell;
using analysis::cell;
using analysis::count_cell;
using analysis::TableRow;

Cell inefficiency_words(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

void add_inefficiencies(const std::vector<Inefficiency>& inefficiencies, const JoinedTrace& trace,
                        const std::string& model, analysis::Table* table) {
  for (const Inefficiency& one : inefficiencies) {
    TableRow row = table->add_row();
    row.set(kB6.kind, std::string(name_of(one.kind)));
    if (one.trace_layer && *one.trace_layer < trace.layers.size()) {
      row.set(kB6.layer_index, count_cell(trace.layers[*one.trace_layer].index));
    }
    row.set(kB6.layer_name, inefficiency_words(one.layer));
    row.set(kB6.expected, inefficiency_words(one.expected));
    row.set(kB6.seen, inefficiency_words(one.seen));
    row.set(kB6.count, count_cell(one.count));
    if (one.time_ms > 0) {
      row.set(kB6.time_ms, cell(one.time_ms));
      if (trace.measured_ms > 0) row.set(kB6.time_pct, cell(100 * one.time_ms / trace.measured_ms));
    }
    row.set(kB6.evidence, inefficiency_words(one.evidence));
    row.set(kB6.model, inefficiency_words(model));
  }
}

bool has_call(const JoinedTrace& trace, std::string_view function) {
  return std::any_of(trace.calls.begin(), trace.calls.end(),
                     [&](const TraceCall& call) { return call.function == function; });
}

/// What could not be looked for.
void add_limits(const JoinedTrace& trace, bool has_model, const std::string& of, analysis::Table* table) {
  if (trace.trace == nullptr || !trace.trace->study) return;
  if (trace.trace->study->has_single_calls()) {
    table->notes.push_back(of +
                           "the trace has no calls of a model, so that nothing tells what is made in each of them");
    table->lacks_data = true;
    return;
  }
  if (!trace.has_library_calls) {
    table->notes.push_back(
        of + "the trace has no calls into compute libraries: " +
        (trace.is_on_gpu() ? "kernels are told by their names" : "what they compute, and how, is not known"));
  }
  if (has_call(trace, "cudnnBackendExecute") && !has_call(trace, "cudnnBackendFinalize")) {
    table->notes.push_back(of +
                           "whether plans are made in each call is recorded with xsp-run --library-calls all only");
  }
  if (trace.evaluations < 2) {
    table->notes.push_back(of + "with one call of the model, what is made once looks like what is made in each");
  }
  if (!has_model) {
    table->notes.push_back(of + "arguments and order are compared with the model's, which takes its ONNX file");
  }
}

}  // namespace

analysis::Table inefficiency_table(const BoundSubject& subject) {
  analysis::Table table = make_table(kB6);
  bool has_trace = false;
  for (size_t index = 0; index < subject.bounds.size() && index < subject.advice.size(); ++index) {
    const Bounds& bounds = subject.bounds[index];
    if (bounds.trace == nullptr) continue;
    has_trace = true;
    const std::string name = subject.has_several() && bounds.model != nullptr ? bounds.model->name : "";
    add_inefficiencies(subject.advice[index].inefficiencies, *bounds.trace, name, &table);
    add_limits(*bounds.trace, bounds.model != nullptr, name.empty() ? "" : name + ": ", &table);
  }
  if (!has_trace) {
    table.notes.emplace_back("needs a run of the model: --trace");
  } else if (table.rows.empty() && !table.lacks_data) {
    table.notes.insert(table.notes.begin(), "nothing found");
  } else if (!table.rows.empty()) {
    table.notes.emplace_back(
        "what takes less than 0.1 % of a call of the model is left out, unless it is set-up that each call repeats");
  }
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
