#include "bound/tables/measured_layers_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "bound/tables/shown_mode.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {
namespace {

using analysis::Cell;
using analysis::cell;
using analysis::count_cell;
using analysis::Table;
using analysis::TableRow;

constexpr size_t kMostNames = 8;
constexpr size_t kRanNameColumns = 60;

std::string_view words_of_join(JoinedBy joined_by) {
  switch (joined_by) {
    case JoinedBy::kName:
      return "name";
    case JoinedBy::kSequence:
      return "sequence";
    default:
      return "";
  }
}

/// "conv1, bn1, relu1 and 3 more".
std::string names_of_layers(const LayeredModel& model, const std::vector<size_t>& layers) {
  std::string names;
  for (size_t i = 0; i < std::min(layers.size(), kMostNames); ++i) {
    names += (i == 0 ? "" : ", ") + shorten(printable(model.layers[layers[i]].name), kRanNameColumns);
  }
  if (layers.size() > kMostNames) names += fmt::format(" and {} more", layers.size() - kMostNames);
  return names;
}

std::optional<double> expected_of(const BoundMode& mode, const TraceLayer& layer) {
  double sum = 0;
  for (const size_t of_model : layer.layers) {
    if (!mode.shares[of_model].expected_ms) return std::nullopt;
    sum += *mode.shares[of_model].expected_ms;
  }
  return sum;
}

class ModelRows {
 public:
  ModelRows(const Bounds& bounds, std::string model, Table* table)
      : bounds_(bounds), mode_(shown_mode(bounds)), model_(std::move(model)), table_(*table) {
    for (const Bounds::Faster& one : bounds.faster) faster_.insert(one.trace_layer);
  }

  void add() {
    const std::vector<TraceLayer>& layers = bounds_.trace->layers;
    std::vector<size_t> order(layers.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::vector<std::optional<double>> bound_ms;
    for (const TraceLayer& layer : layers) bound_ms.push_back(bound_of(bounds_, mode_, layer));
    const auto rank = [&](size_t at) {
      const int kind = bound_ms[at] ? 0 : layers[at].layers.empty() ? 2 : 1;
      return std::pair(kind, -(layers[at].measured_ms - bound_ms[at].value_or(0)));
    };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
    for (const size_t at : order) add_ran(at, bound_ms[at]);
    add_not_found();
  }

 private:
  void add_ran(size_t at, const std::optional<double>& fused_ms) {
    const TraceLayer& layer = bounds_.trace->layers[at];
    TableRow row = table_.add_row();
    row.set(kB3Layers.trace_index, count_cell(layer.index));
    row.set(kB3Layers.name, layer.name);
    row.set(kB3Layers.type, layer.type);
    row.set(kB3Layers.layers, count_cell(layer.layers.size()));
    if (!layer.layers.empty()) {
      row.set(kB3Layers.ran, names_of_layers(*bounds_.model, layer.layers));
      row.set(kB3Layers.joined_by, std::string(words_of_join(layer.joined_by)));
    }
    row.set(kB3Layers.measured_ms, cell(layer.measured_ms));
    row.set(kB3Layers.least_ms, cell(layer.least_ms));
    row.set(kB3Layers.bound_ms, cell(bound_of(bounds_, bounds_.layers(), layer)));
    row.set(kB3Layers.fused_ms, cell(fused_ms));
    if (fused_ms) {
      row.set(kB3Layers.expected_ms, mode_.sequential.expected_ms ? cell(expected_of(mode_, layer)) : Cell());
      row.set(kB3Layers.excess_ms, cell(layer.measured_ms - *fused_ms));
      if (layer.measured_ms > 0) row.set(kB3Layers.normalized_pct, cell(100 * *fused_ms / layer.measured_ms));
    }
    const std::string reason = reason_of_row(at, fused_ms.has_value());
    if (!reason.empty()) row.set(kB3Layers.reason, reason);
    if (!model_.empty()) row.set(kB3Layers.model, model_);
  }

  std::string reason_of_row(size_t at, bool has_bound) const {
    const TraceLayer& layer = bounds_.trace->layers[at];
    if (layer.layers.empty()) return "is no layer of the model";
    for (const size_t of_model : layer.layers) {
      if (has_bound || mode_.shares[of_model].bound_ms) continue;
      const Layer& without = bounds_.model->layers[of_model];
      return fmt::format("{} ({}) has no time: {}", shorten(printable(without.name), kRanNameColumns), without.type,
                         bounds_.times[of_model].reason);
    }
    if (faster_.contains(at)) return "ran faster than its benchmark";
    return split_groups(layer);
  }

  /// Groups that the trace did not run at once.
  std::string split_groups(const TraceLayer& layer) const {
    std::set<size_t> split;
    for (const size_t of_model : layer.layers) {
      const size_t group = mode_.group_of[of_model];
      if (group == kNoGroup) continue;
      if (!ran_whole(bounds_, group, layer)) split.insert(group);
    }
    if (split.empty()) return "";
    return split.size() == 1 ? "could be fused: " + bounds_.groups[*split.begin()].pattern
                             : fmt::format("is part of {} that could be fused", plural(split.size(), "group"));
  }

  void add_not_found() {
    const std::vector<size_t>& trace_layer_of = bounds_.trace->trace_layer_of;
    for (size_t layer = 0; layer < bounds_.times.size(); ++layer) {
      if (!bounds_.times[layer].counts) continue;
      if (layer < trace_layer_of.size() && trace_layer_of[layer] != kNoLayer) continue;
      const Layer& of_model = bounds_.model->layers[layer];
      TableRow row = table_.add_row();
      row.set(kB3Layers.name, of_model.name);
      row.set(kB3Layers.type, of_model.type);
      row.set(kB3Layers.layers, count_cell(1));
      row.set(kB3Layers.bound_ms, cell(bounds_.times[layer].bound_ms));
      row.set(kB3Layers.fused_ms, cell(mode_.shares[layer].bound_ms));
      row.set(kB3Layers.reason, "was not found in the trace");
      if (!model_.empty()) row.set(kB3Layers.model, model_);
    }
  }

  const Bounds& bounds_;
  const BoundMode& mode_;
  std::string model_;
  Table& table_;
  std::set<size_t> faster_;
};

}  // namespace

Table measured_layers_table(const BoundSubject& subject) {
  Table table = make_table(kB3Layers);
  // It is no part of another table here.
  table.id = kB3Layers.id;
  bool has_trace = false;
  for (const Bounds& bounds : subject.bounds) {
    if (bounds.trace == nullptr || bounds.model->layers.empty()) continue;
    has_trace = true;
    const std::string of = subject.has_several() ? bounds.model->name + ": " : "";
    ModelRows(bounds, subject.has_several() ? bounds.model->name : "", &table).add();
    for (const std::string& note : bounds.trace->notes) table.notes.push_back(of + note);
  }
  if (!has_trace) {
    table.notes.emplace_back("needs a measured run");
  } else {
    table.notes.emplace_back(
        "excess_ms is of a typical call, bounds are of the fastest one: some of it is the call's own variation");
    add_source_notes(subject, &table);
  }
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
