#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_findings.h"
#include "test/bound/bounds/layer_graph.h"

namespace xsp::bound::test {

using analysis::Finding;

/// Conv → Relu → Conv → Softmax, with a trace of it: the first two at once, what is no layer, the others.
struct MeasuredNet {
  LayeredModel model;
  std::vector<LayerTime> times;
  std::vector<FusedGroup> groups;
  std::vector<LayerTime> group_times;
  JoinedTrace trace;

  MeasuredNet() {
    model.name = "net";
    const char* types[] = {"Conv", "Relu", "Conv", "Softmax"};
    for (size_t i = 0; i < 4; ++i) {
      model.layers.push_back(
          layer_after("layer" + std::to_string(i), i == 0 ? std::vector<size_t>{} : std::vector{i - 1}));
      model.layers[i].type = types[i];
    }
    for (const double ms : {8.0, 2.0, 5.0, 1.0}) times.push_back(time_of_ms(ms));
    add_group({0, 1}, "Conv+Relu", 9);
    add_group({2, 3}, "Conv+Softmax", 7);
    trace.subject = "Net";
    trace.path = "run.pb";
    trace.evaluations = 5;
    trace.measured_ms = 27;
    trace.measured_min_ms = 20;
    trace.trace_layer_of = {0, 0, 2, 3};
    add_ran("conv0", "Conv", {0, 1}, 13, 10);
    add_ran("reorder", "Reorder", {}, 3, 3);
    add_ran("conv2", "Conv", {2}, 6, 4);
    add_ran("softmax", "Softmax", {3}, 4, 3);
  }

  void add_group(std::vector<size_t> layers, const char* pattern, double ms) {
    FusedGroup& group = groups.emplace_back();
    group.rule = "convolution";
    group.pattern = pattern;
    group.layers = std::move(layers);
    group_times.push_back(time_of_ms(ms));
  }

  void add_ran(const char* name, const char* type, std::vector<size_t> layers, double ms, double least_ms) {
    TraceLayer& layer = trace.layers.emplace_back();
    layer.index = trace.layers.size() - 1;
    layer.name = name;
    layer.type = type;
    layer.layers = std::move(layers);
    layer.measured_ms = ms;
    layer.least_ms = least_ms;
    layer.joined_by = layer.layers.empty() ? JoinedBy::kNothing : JoinedBy::kName;
  }

  BoundSubject subject(bool with_trace = true) const {
    BoundSubject subject;
    subject.bounds.push_back(make_bounds(model, times, {groups, group_times, with_trace ? &trace : nullptr}));
    subject.source.threads = 1;
    return subject;
  }
};

inline const Finding* finding_of(const std::vector<Finding>& findings, std::string_view id) {
  const auto found = std::ranges::find(findings, id, &Finding::id);
  return found == findings.end() ? nullptr : &*found;
}

inline std::vector<Finding> all_findings(const BoundSubject& subject) {
  std::vector<Table> tables;
  for (const BoundAnalysis& analysis : bound_analyses()) tables.push_back(analysis.compute(subject));
  return bound_findings(subject, tables);
}

inline double number_at(const Table& table, size_t row, const analysis::ColumnDefinition& column) {
  return std::get<double>(table.at(row, column));
}

inline std::string text_at(const Table& table, size_t row, const analysis::ColumnDefinition& column) {
  return std::get<std::string>(table.at(row, column));
}

inline bool has_note(const Table& table, const std::string& part) {
  return std::ranges::any_of(table.notes,
                             [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace xsp::bound::test
