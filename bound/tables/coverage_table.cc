#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bound/bounds/coverage.h"
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

/// The layers of one type that count.
struct CoveredType {
  Coverage coverage;
  std::set<size_t> unique;
  double bound_ms = 0;
  std::map<std::string, size_t> reasons;
  double measured_ms = 0;        // in the trace
  double timed_measured_ms = 0;  // of it, of layers that have a time by themselves or in a group

  void add_measured(double ms, bool is_timed) {
    measured_ms += ms;
    if (is_timed) timed_measured_ms += ms;
  }

  void add(const Layer& layer, const LayerTime& time) {
    coverage.add(layer, time);
    if (layer.unique != kNoProblem) unique.insert(layer.unique);
    bound_ms += time.bound_ms.value_or(0);
    if (!time.bound_ms) ++reasons[time.reason];
  }

  /// The most frequent one.
  std::string reason() const {
    const auto most = std::max_element(reasons.begin(), reasons.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == reasons.end() ? std::string() : most->first;
  }
};

void add_type(const std::string& name, const CoveredType& type, const std::string& model, Table* table) {
  TableRow row = table->add_row();
  row.set(kB2.type, name);
  row.set(kB2.layers, count_cell(type.coverage.layers()));
  row.set(kB2.unique, count_cell(type.unique.size()));
  row.set(kB2.timed, count_cell(type.coverage.timed()));
  row.set(kB2.coverage_layers_pct, cell(type.coverage.layers_pct()));
  row.set(kB2.coverage_flops_pct, cell(type.coverage.flops_pct()));
  if (type.measured_ms > 0) row.set(kB2.coverage_time_pct, cell(100 * type.timed_measured_ms / type.measured_ms));
  row.set(kB2.bound_ms, type.coverage.timed() == 0 ? Cell() : cell(type.bound_ms));
  row.set(kB2.reason, type.coverage.missing() == 0 ? Cell() : Cell(type.reason()));
  row.set(kB2.model, model.empty() ? Cell() : Cell(model));
}

/// What layers of the trace took that are nothing in the model.
double unjoined_ms(const JoinedTrace& trace) {
  double sum = 0;
  for (const TraceLayer& layer : trace.layers) sum += layer.layers.empty() ? layer.measured_ms : 0;
  return sum;
}

/// Types by their time, longest first, those without any behind them; then all.
void add_model(const Bounds& bounds, const std::string& model, Table* table) {
  std::map<std::string, CoveredType> types;
  CoveredType all;
  const std::vector<std::optional<double>> measured = measured_shares(bounds);
  const BoundMode& mode = shown_mode(bounds);
  for (size_t index = 0; index < bounds.model->layers.size(); ++index) {
    const LayerTime& time = bounds.times[index];
    if (!time.counts) continue;
    const Layer& layer = bounds.model->layers[index];
    types[layer.type].add(layer, time);
    all.add(layer, time);
    if (measured.empty() || !measured[index]) continue;
    types[layer.type].add_measured(*measured[index], mode.shares[index].bound_ms.has_value());
    all.add_measured(*measured[index], mode.shares[index].bound_ms.has_value());
  }
  if (bounds.trace != nullptr) all.add_measured(unjoined_ms(*bounds.trace), false);
  std::vector<const std::pair<const std::string, CoveredType>*> order;
  for (const auto& type : types) order.push_back(&type);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->second.bound_ms > b->second.bound_ms; });
  for (const auto* type : order) add_type(type->first, type->second, model, table);
  add_type("all", all, model, table);
  table->lacks_data |= all.coverage.missing() != 0;
}

}  // namespace

Table coverage_table(const BoundSubject& subject) {
  Table table = make_table(kB2);
  bool has_trace = false;
  for (const Bounds& bounds : subject.bounds) {
    const std::string of = subject.has_several() ? bounds.model->name + ": " : "";
    add_model(bounds, subject.has_several() ? bounds.model->name : "", &table);
    if (bounds.trace == nullptr) continue;
    has_trace = true;
    if (const double ms = unjoined_ms(*bounds.trace); ms > 0) {
      table.notes.push_back(
          fmt::format("{}coverage_time_pct of all counts {:.3g} ms of the trace that are of no layer of the model as "
                      "without a time",
                      of, ms));
    }
  }
  table.notes.emplace_back("layers without work (reshapes, constants) are left out unless --times gives them a time");
  if (!has_trace) table.notes.emplace_back("coverage_time_pct needs a measured run");
  add_source_notes(subject, &table);
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
