#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_findings.h"
#include "bound/tables/bound_report.h"
#include "bound/tables/bound_tables.h"
#include "bound/tables/groups_table.h"
#include "bound/tables/measured_layers_table.h"
#include "bound/tables/shown_mode.h"
#include "test/bound/tables/measured_net.h"
#include "test/catch.h"

namespace xsp::bound {

using analysis::Finding;
using test::all_findings;
using test::finding_of;
using test::has_note;
using test::MeasuredNet;
using test::number_at;
using test::text_at;
using test::time_of_ms;

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
  CHECK(
      bound_verdict(net.subject()) ==
      "net: measured 27.00 ms, 1.8 times the fused bound of 15.00 ms on 1 thread (its layers at their least 20.00 ms, "
      "1.3 times)");
  CHECK(bound_verdict(net.subject(false)) ==
        "net: fused at least 15.00 ms a call on 1 thread (layer by layer 16.00 ms)");
  for (LayerTime& time : net.group_times) time.bound_ms.reset();
  CHECK(bound_verdict(net.subject()) ==
        "net: measured 27.00 ms, 1.7 times the bound of 16.00 ms on 1 thread layer by layer (its layers at their least "
        "20.00 ms, 1.2 times)");
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
