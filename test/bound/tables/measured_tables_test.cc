#include <algorithm>

#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_findings.h"
#include "bound/tables/bound_report.h"
#include "bound/tables/bound_tables.h"
#include "bound/tables/groups_table.h"
#include "bound/tables/measured_layers_table.h"
#include "bound/tables/shown_mode.h"
#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

using analysis::Finding;
using test::layer_after;
using test::time_of_ms;

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

const Finding* finding_of(const std::vector<Finding>& findings, std::string_view id) {
  const auto found = std::ranges::find(findings, id, &Finding::id);
  return found == findings.end() ? nullptr : &*found;
}

std::vector<Finding> all_findings(const BoundSubject& subject) {
  std::vector<Table> tables;
  for (const BoundAnalysis& analysis : bound_analyses()) tables.push_back(analysis.compute(subject));
  return bound_findings(subject, tables);
}

double number_at(const Table& table, size_t row, const analysis::ColumnDefinition& column) {
  return std::get<double>(table.at(row, column));
}

std::string text_at(const Table& table, size_t row, const analysis::ColumnDefinition& column) {
  return std::get<std::string>(table.at(row, column));
}

bool has_note(const Table& table, const std::string& part) {
  return std::ranges::any_of(table.notes,
                             [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("a mode has a row in B3, with what was measured beside it") {
  const Table table = sequential_table(MeasuredNet().subject());
  REQUIRE(table.rows.size() == 3);
  CHECK(text_at(table, 0, kB3.mode) == "layers");
  CHECK(number_at(table, 0, kB3.bound_ms) == 16);
  CHECK(text_at(table, 1, kB3.mode) == "fused");
  CHECK(number_at(table, 1, kB3.bound_ms) == 15);
  CHECK(number_at(table, 1, kB3.measured_ms) == 27);
  CHECK(number_at(table, 1, kB3.measured_min_ms) == 20);
  CHECK(number_at(table, 1, kB3.normalized_pct) == Approx(1500.0 / 27));
  CHECK(number_at(table, 1, kB3.speedup) == Approx(1.8));
  CHECK(number_at(table, 2, kB3.bound_ms) == 14);
  CHECK(has_note(table, "1 layer of the trace ran faster than the benchmarks say is possible, by 1 ms together"));
  CHECK_FALSE(has_note(table, "bound exceeded"));
}

TEST_CASE("without a trace what was measured is not known") {
  const Table table = sequential_table(MeasuredNet().subject(false));
  REQUIRE(table.rows.size() == 2);
  CHECK(analysis::is_null(table.at(1, kB3.measured_ms)));
  CHECK(analysis::is_null(table.at(1, kB3.speedup)));
  CHECK(measured_layers_table(MeasuredNet().subject(false)).rows.empty());
}

TEST_CASE("a bound above the measurement is said and not clamped") {
  MeasuredNet net;
  net.trace.measured_ms = 12;
  const BoundSubject subject = net.subject();
  const Table table = sequential_table(subject);
  CHECK(number_at(table, 1, kB3.normalized_pct) == Approx(125));
  CHECK(has_note(table, "fused: bound exceeded by 25.0 %: a quicker implementation exists than any benchmarked"));
  CHECK(bound_verdict(subject) ==
        "net: measured 12.00 ms, less than the fused bound of 15.00 ms on 1 thread (exceeded by 25 %)");
  const auto findings = all_findings(subject);
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0].id == "bound-exceeded");
}

TEST_CASE("the verdict compares what was measured with the fused bound") {
  MeasuredNet net;
  CHECK(bound_verdict(net.subject()) == "net: measured 27.00 ms, 1.8 times the fused bound of 15.00 ms on 1 thread");
  CHECK(bound_verdict(net.subject(false)) ==
        "net: fused at least 15.00 ms a call on 1 thread (layer by layer 16.00 ms)");
  for (LayerTime& time : net.group_times) time.bound_ms.reset();
  CHECK(bound_verdict(net.subject()) ==
        "net: measured 27.00 ms, 1.7 times the bound of 16.00 ms on 1 thread layer by layer");
  CHECK(bound_verdict(net.subject(false)) == "net: layer by layer at least 16.00 ms a call on 1 thread");
  for (LayerTime& time : net.times) time.bound_ms.reset();
  CHECK(bound_verdict(net.subject()) == "net: measured 27.00 ms; no bound, none of its 4 layers has a time");
}

TEST_CASE("a trace without a model has a verdict and empty tables") {
  MeasuredNet net;
  net.model.layers.clear();
  net.times.clear();
  net.groups.clear();
  net.group_times.clear();
  for (TraceLayer& layer : net.trace.layers) layer.layers.clear();
  net.trace.trace_layer_of.clear();
  const BoundSubject subject = net.subject();
  CHECK(bound_verdict(subject) == "measured 27.00 ms; no model to find a bound of");
  CHECK(measured_layers_table(subject).rows.empty());
  CHECK(analysis::is_null(sequential_table(subject).at(0, kB3.bound_ms)));
  CHECK(path_drawings(subject).empty());
}

TEST_CASE("layers of the trace come by what there is to win, those without a counterpart behind them") {
  const Table table = measured_layers_table(MeasuredNet().subject());
  REQUIRE(table.rows.size() == 4);
  // Of the group that ran in two layers each has its share: 7 ms as 5 and 1.
  CHECK(text_at(table, 0, kB3Layers.name) == "conv0");
  CHECK(number_at(table, 0, kB3Layers.excess_ms) == 4);
  CHECK(std::get<int64_t>(table.at(0, kB3Layers.layers)) == 2);
  CHECK(text_at(table, 0, kB3Layers.ran) == "layer0, layer1");
  CHECK(text_at(table, 1, kB3Layers.name) == "softmax");
  CHECK(text_at(table, 3, kB3Layers.name) == "reorder");
  CHECK(analysis::is_null(table.at(3, kB3Layers.excess_ms)));
  CHECK(text_at(table, 3, kB3Layers.reason) == "is no layer of the model");
  CHECK(text_at(table, 2, kB3Layers.reason) == "ran faster than its benchmark");

  MeasuredNet net;
  net.group_times[1] = time_of_ms(5.5);
  net.trace.layers[2].least_ms = 6;
  const Table split = measured_layers_table(net.subject());
  CHECK(text_at(split, 1, kB3Layers.reason) == "could be fused: Conv+Softmax");
  CHECK(number_at(split, 1, kB3Layers.fused_ms) + number_at(split, 2, kB3Layers.fused_ms) == Approx(5.5));
}

TEST_CASE("layers that did not run and layers without a time say so") {
  MeasuredNet net;
  net.times[3].bound_ms.reset();
  net.times[3].reason = "not measured";
  net.trace.layers[2].layers.clear();
  net.trace.trace_layer_of[2] = kNoLayer;
  const Table table = measured_layers_table(net.subject());
  REQUIRE(table.rows.size() == 5);
  CHECK(text_at(table, 1, kB3Layers.reason) == "layer3 (Softmax) has no time: not measured");
  CHECK(text_at(table, 4, kB3Layers.name) == "layer2");
  CHECK(text_at(table, 4, kB3Layers.reason) == "was not found in the trace");
  CHECK(analysis::is_null(table.at(4, kB3Layers.measured_ms)));
  const auto findings = all_findings(net.subject());
  const Finding* finding = finding_of(findings, "layers-not-found");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "1 of 4 layers with work was not found in the trace: 36 % of the bound");
}

TEST_CASE("each candidate says what became of it") {
  MeasuredNet net;
  net.add_group({1, 2}, "Relu+Conv", 6);
  net.add_group({2, 3}, "Conv+Softmax", 5.5);
  net.group_times[3].bound_ms.reset();
  net.group_times[3].reason = "oneDNN has no such primitive";
  const Table table = groups_table(net.subject());
  REQUIRE(table.rows.size() == 4);
  CHECK(std::get<bool>(table.at(0, kB3Groups.taken)));
  CHECK(number_at(table, 0, kB3Groups.gain_ms) == 1);
  CHECK(text_at(table, 0, kB3Groups.layers) == "0–1");
  CHECK(text_at(table, 1, kB3Groups.reason) == "its layers one by one are as fast");
  CHECK(text_at(table, 2, kB3Groups.reason) == "a group that is taken has some of its layers: 0–1 (Conv+Relu)");
  CHECK(text_at(table, 3, kB3Groups.reason) == "oneDNN has no such primitive");
  CHECK(has_note(table, "1 group is taken; together they save 1 ms"));
}

TEST_CASE("paths of all modes are in B4, that of the layers by themselves under its old name") {
  const Table table = parallel_table(MeasuredNet().subject());
  REQUIRE(table.rows.size() == 3);
  REQUIRE(table.extras.size() == 3);
  CHECK(table.extras[0].name == "path");
  CHECK(table.extras[1].name == "path_fused");
  CHECK(table.extras[2].name == "path_best_known");
  CHECK(table.extras[1].numbers == std::vector<int64_t>{0, 1, 2, 3});
  CHECK(number_at(table, 1, kB4.normalized_pct) == Approx(1500.0 / 27));
}

TEST_CASE("coverage of time counts what has no counterpart as without a time") {
  MeasuredNet net;
  net.times[3].bound_ms.reset();
  const Table table = coverage_table(net.subject());
  const size_t all = table.rows.size() - 1;
  CHECK(number_at(table, all, kB2.coverage_time_pct) == Approx(100.0 * 19 / 26));
  CHECK(number_at(table, 0, kB2.coverage_time_pct) == 100);
  CHECK(has_note(table, "counts 3 ms of the trace that are of no layer of the model"));
}

TEST_CASE("layers know their group and the layer of the trace that ran them") {
  const Table table = layers_table(MeasuredNet().subject());
  CHECK(text_at(table, 0, kB1.fused_into) == "layer1");
  CHECK(analysis::is_null(table.at(3, kB1.fused_into)));
  CHECK(std::get<int64_t>(table.at(1, kB1.trace_index)) == 0);
  CHECK(number_at(table, 2, kB1.measured_ms) == 6);
  MeasuredNet plain;
  plain.groups.clear();
  plain.group_times.clear();
  CHECK_FALSE(layers_table(plain.subject(false)).has(kB1.fused_into));
  CHECK_FALSE(layers_table(plain.subject(false)).has(kB1.least_ms));
}

TEST_CASE("findings of a run begin with where it is above its bound") {
  const auto findings = all_findings(MeasuredNet().subject());
  REQUIRE(findings.size() > 2);
  CHECK(findings[0].id == "excess-layer-type");
  CHECK(findings[0].text ==
        "2 Conv layers took 19.00 ms, 1.4 times their bound of 14.00 ms: 5.000 ms above it, of 8.000 ms in all layers "
        "that have a bound");
  CHECK(*findings[0].gain_ms == 5);
  const Finding* other = finding_of(findings, "layers-not-in-model");
  REQUIRE(other != nullptr);
  CHECK(other->text ==
        "1 layer of the trace has no counterpart in the model and took 3.000 ms (11 % of the call): Reorder");
  const Finding* faster = finding_of(findings, "faster-than-benchmark");
  REQUIRE(faster != nullptr);
  CHECK(faster->text ==
        "1 layer ran faster than its benchmark at least once, by 1.000 ms together. With that the bound is 14.00 ms");
}

TEST_CASE("another number of threads and another device put a comparison in doubt") {
  MeasuredNet net;
  net.trace.threads = 4;
  auto findings = all_findings(net.subject());
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0].text == "The trace is of 4 threads, the benchmarks are of 1 thread");
  net.trace.device = "Tesla V100";
  findings = all_findings(net.subject());
  CHECK(findings[0].id == "other-device");
  net.trace.device.clear();
  net.trace.threads = 1;
  CHECK(finding_of(all_findings(net.subject()), "other-threads") == nullptr);
}

TEST_CASE("measured time is divided among the layers that one of the trace ran") {
  const MeasuredNet net;
  const BoundSubject subject = net.subject();
  const auto shares = measured_shares(subject.bounds[0]);
  REQUIRE(shares.size() == 4);
  CHECK(*shares[0] == Approx(13 * 0.8));
  CHECK(*shares[0] + *shares[1] == Approx(13));
  CHECK(*shares[3] == 4);
  CHECK(measured_shares(net.subject(false).bounds[0]).empty());
}

}  // namespace xsp::bound
